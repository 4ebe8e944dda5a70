// Walks the table of opcodes: each is decoded in one form at least, and each passes undefined values on as
// its row says. An opcode without an example here fails by name.
#include "emulator/instructions/opcode.h"

#include <map>

#include "device_fixture.h"

namespace lockstep::emulator::instructions {
namespace {

using ::testing::IsEmpty;

/// One form of each opcode, the last instruction of its text. %r2 is among its operands where it only
/// calculates.
const std::map<std::string_view, std::string> kExamples = {
    {"add", "add.u32 %r3, %r2, 1;"},
    {"sub", "sub.u32 %r3, %r2, 1;"},
    {"mul", "mul.lo.u32 %r3, %r2, 3;"},
    {"mad", "mad.lo.u32 %r3, %r2, 3, 4;"},
    {"fma", "mov.b32 %f1, %r2; fma.rn.f32 %f2, %f1, %f1, %f1;"},
    {"div", "div.u32 %r3, %r2, 3;"},
    {"rem", "rem.u32 %r3, %r2, 3;"},
    {"abs", "abs.s32 %r3, %r2;"},
    {"neg", "neg.s32 %r3, %r2;"},
    {"min", "min.u32 %r3, %r2, 3;"},
    {"max", "max.u32 %r3, %r2, 3;"},
    {"addc", "add.cc.u32 %r3, %r1, 1; addc.u32 %r4, %r2, 0;"},
    {"subc", "sub.cc.u32 %r3, %r1, 1; subc.u32 %r4, %r2, 0;"},
    {"madc", "mad.lo.cc.u32 %r3, %r1, 3, 4; madc.hi.u32 %r4, %r2, 3, 0;"},
    {"mul24", "mul24.lo.u32 %r3, %r2, 3;"},
    {"mad24", "mad24.lo.u32 %r3, %r2, 3, 4;"},
    {"sad", "sad.u32 %r3, %r2, 3, 4;"},
    {"dp4a", "dp4a.u32.u32 %r3, %r2, 3, 4;"},
    {"dp2a", "dp2a.lo.u32.u32 %r3, %r2, 3, 4;"},
    {"and", "and.b32 %r3, %r2, 3;"},
    {"or", "or.b32 %r3, %r2, 3;"},
    {"xor", "xor.b32 %r3, %r2, 3;"},
    {"not", "not.b32 %r3, %r2;"},
    {"cnot", "cnot.b32 %r3, %r2;"},
    {"lop3", "lop3.b32 %r3, %r2, %r1, %r1, 0x96;"},
    {"shl", "shl.b32 %r3, %r2, 3;"},
    {"shr", "shr.u32 %r3, %r2, 3;"},
    {"shf", "shf.l.wrap.b32 %r3, %r2, %r1, 3;"},
    {"bfe", "bfe.u32 %r3, %r2, 3, 4;"},
    {"bfi", "bfi.b32 %r3, %r2, %r1, 3, 4;"},
    {"bmsk", "bmsk.clamp.b32 %r3, %r2, 4;"},
    {"szext", "szext.clamp.s32 %r3, %r2, 4;"},
    {"brev", "brev.b32 %r3, %r2;"},
    {"popc", "popc.b32 %r3, %r2;"},
    {"clz", "clz.b32 %r3, %r2;"},
    {"bfind", "bfind.u32 %r3, %r2;"},
    {"fns", "fns.b32 %r3, %r2, 0, 1;"},
    {"prmt", "prmt.b32 %r3, %r2, 0, 0x0123;"},
    {"rcp", "mov.b32 %f1, %r2; rcp.rn.f32 %f2, %f1;"},
    {"sqrt", "mov.b32 %f1, %r2; sqrt.rn.f32 %f2, %f1;"},
    {"rsqrt", "mov.b32 %f1, %r2; rsqrt.approx.f32 %f2, %f1;"},
    {"sin", "mov.b32 %f1, %r2; sin.approx.f32 %f2, %f1;"},
    {"cos", "mov.b32 %f1, %r2; cos.approx.f32 %f2, %f1;"},
    {"lg2", "mov.b32 %f1, %r2; lg2.approx.f32 %f2, %f1;"},
    {"ex2", "mov.b32 %f1, %r2; ex2.approx.f32 %f2, %f1;"},
    {"tanh", "mov.b32 %f1, %r2; tanh.approx.f32 %f2, %f1;"},
    {"copysign", "mov.b32 %f1, %r2; copysign.f32 %f2, %f1, %f1;"},
    {"testp", "mov.b32 %f1, %r2; testp.finite.f32 %p1, %f1;"},
    {"vadd2", "vadd2.u32.u32.u32 %r3, %r2, 1, 0;"},
    {"vsub2", "vsub2.u32.u32.u32 %r3, %r2, 1, 0;"},
    {"vavrg2", "vavrg2.u32.u32.u32 %r3, %r2, 1, 0;"},
    {"vabsdiff2", "vabsdiff2.u32.u32.u32 %r3, %r2, 1, 0;"},
    {"vmin2", "vmin2.u32.u32.u32 %r3, %r2, 1, 0;"},
    {"vmax2", "vmax2.u32.u32.u32 %r3, %r2, 1, 0;"},
    {"vset2", "vset2.u32.u32.lt %r3, %r2, 1, 0;"},
    {"vadd4", "vadd4.u32.u32.u32 %r3, %r2, 1, 0;"},
    {"vsub4", "vsub4.u32.u32.u32 %r3, %r2, 1, 0;"},
    {"vavrg4", "vavrg4.u32.u32.u32 %r3, %r2, 1, 0;"},
    {"vabsdiff4", "vabsdiff4.u32.u32.u32 %r3, %r2, 1, 0;"},
    {"vmin4", "vmin4.u32.u32.u32 %r3, %r2, 1, 0;"},
    {"vmax4", "vmax4.u32.u32.u32 %r3, %r2, 1, 0;"},
    {"vset4", "vset4.u32.u32.lt %r3, %r2, 1, 0;"},
    {"setp", "setp.eq.u32 %p1, %r2, 3;"},
    {"set", "set.eq.u32.u32 %r3, %r2, 3;"},
    {"selp", "setp.eq.u32 %p1, %r1, 0; selp.u32 %r3, %r2, 0, %p1;"},
    {"slct", "slct.u32.s32 %r3, 1, 2, %r2;"},
    {"mov", "mov.u32 %r3, %r2;"},
    {"cvt", "cvt.u64.u32 %d3, %r2;"},
    {"cvta", "cvt.u64.u32 %d3, %r2; cvta.to.global.u64 %d4, %d3;"},
    {"isspacep", "cvt.u64.u32 %d3, %r2; isspacep.global %p1, %d3;"},
    {"mapa", "mapa.shared::cluster.u32 %r3, %r1, 0;"},
    {"getctarank", "getctarank.shared::cluster.u32 %r3, %r2;"},
    {"ld", "ld.global.u32 %r3, [%d0];"},
    {"ldu", "ldu.global.u32 %r3, [%d0];"},
    {"st", "st.global.u32 [%d0], %r1;"},
    {"atom", "atom.global.add.u32 %r3, [%d0], 1;"},
    {"red", "red.global.add.u32 [%d0], 1;"},
    {"membar", "membar.gl;"},
    {"fence", "fence.acq_rel.gpu;"},
    {"cp", "cp.async.wait_group 0;"},
    {"mbarrier", "mbarrier.pending_count.b64 %r3, %d0;"},
    {"prefetch", "prefetch.global.L2 [%d0];"},
    {"prefetchu", "prefetchu.L1 [%d0];"},
    {"tex", "tex.1d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%d0, {%f5}];"},
    {"tld4", "tld4.r.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%d0, {%f5, %f6}];"},
    {"txq", "txq.width.b32 %r3, [%d0];"},
    {"suld", "suld.b.1d.b32.trap %r3, [%d0, {%r1}];"},
    {"sust", "sust.b.1d.b32.trap [%d0, {%r1}], %r1;"},
    {"suq", "suq.width.b32 %r3, [%d0];"},
    {"shfl", "shfl.sync.idx.b32 %r3, %r1, 0, 31, -1;"},
    {"vote", "vote.sync.ballot.b32 %r3, %p1, -1;"},
    {"match", "match.any.sync.b32 %r3, %r1, -1;"},
    {"redux", "redux.sync.add.u32 %r3, %r1, -1;"},
    {"elect", "elect.sync %r3|%p1, -1;"},
    {"activemask", "activemask.b32 %r3;"},
    {"mma", "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%g1, %g2}, {%g3}, {%g4}, {%g1, %g2};"},
    {"wmma", "wmma.load.a.sync.aligned.row.m8n8k4.global.f64 {%g1}, [%d0], 4;"},
    {"ldmatrix", "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r3}, [%r1];"},
    {"stmatrix", "stmatrix.sync.aligned.m8n8.x1.shared.b16 [%r1], {%r3};"},
    {"movmatrix", "movmatrix.sync.aligned.m8n8.trans.b16 %r3, %r1;"},
    {"bar", "bar.sync 0;"},
    {"barrier", "barrier.sync 0;"},
    {"nanosleep", "nanosleep.u32 8;"},
    {"pmevent", "pmevent 1;"},
    {"setmaxnreg", "setmaxnreg.inc.sync.aligned.u32 64;"},
    {"griddepcontrol", "griddepcontrol.wait;"},
    {"bra", "bra past;"},
    {"brx", "list: .branchtargets past; brx.idx %r1, list;"},
    {"call", "call callee;"},
    {"ret", "ret;"},
    {"exit", "exit;"},
    {"trap", "trap;"},
    {"brkpt", "brkpt;"},
};

class OpcodeTableTest : public DeviceTest {
 protected:
  /// Decodes an example, which need not be fit to run.
  void decode(const std::string& example) {
    const std::string callee = ".func callee()\n{\nret;\n}\n";
    device.kernel(device.load_ptx(kernel_text(example + "\npast:", callee)), "kernel");
  }
};

TEST_F(OpcodeTableTest, EveryOpcodeIsDecoded) {
  for (const Opcode& opcode : opcodes()) {
    const auto example = kExamples.find(opcode.word);
    if (example == kExamples.end()) {
      ADD_FAILURE() << opcode.word << " has a row in the table and no example in this test: add one";
      continue;
    }
    EXPECT_NO_THROW(decode(example->second)) << opcode.word << ": " << example->second;
  }
  EXPECT_EQ(kExamples.size(), opcodes().size());
}

/// What is not looked at is refused, or a form that nobody thought of would run as another one.
TEST_F(OpcodeTableTest, NoOpcodeTakesMoreOperandsThanItsRowSays) {
  for (const auto& [word, example] : kExamples) {
    std::string longer = example.substr(0, example.size() - 1);
    if (example.find(' ') == std::string::npos) longer += " 1";
    for (std::size_t k = 0; k <= opcode_named(word).operands.most; ++k) longer += ", 1";
    EXPECT_THROW(decode(longer + ";"), DeviceError) << longer;
  }
}

/// Decision 0014: an undefined value that merely passes through an instruction is not used by it.
TEST_F(OpcodeTableTest, WhatOnlyCalculatesPassesUndefinedValuesOn) {
  const DeviceAddress memory = device.allocate(64, "memory");
  for (const Opcode& opcode : opcodes()) {
    const auto example = kExamples.find(opcode.word);
    if (opcode.crossing != Crossing::passes || example == kExamples.end()) continue;
    EXPECT_TRUE(opcode.flow != Flow::decides)
        << opcode.word << " only calculates, but its row says that undefined operands decide";
    EXPECT_EQ(run("ld.global.u32 %r2, [%d0+4];\n" + example->second, memory, 0, 0, {}, {1, 1, 1}).status,
              LaunchResult::Status::ok)
        << opcode.word;
    EXPECT_THAT(findings(), IsEmpty()) << opcode.word;
  }
}

TEST_F(OpcodeTableTest, AnOpcodeWithoutARowIsRefusedByNameAndLine) {
  try {
    decode("mov.u32 %r2, 1;\nfrobnicate.u32 %r3, %r2;");
    FAIL() << "decoded";
  } catch (const DeviceError& error) {
    EXPECT_EQ(error.code(), DeviceError::Code::unsupported);
    EXPECT_THAT(error.what(), testing::HasSubstr("kernel.cu:2"));
    EXPECT_THAT(error.what(), testing::HasSubstr("frobnicate.u32"));
  }
}

}  // namespace
}  // namespace lockstep::emulator::instructions
