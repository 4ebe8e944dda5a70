// Handlers of one instruction-set level, file by file; table.cpp gathers them.
#pragma once

#include "emulator/handlers/names.h"

namespace lockstep::emulator::handlers::LOCKSTEP_LEVEL {

Handler integer_handler(Operation operation, ptx::Type type, const Variant& variant);
Handler floating_handler(Operation operation, ptx::Type type, const Variant& variant);
Handler predicate_handler(Operation operation, ptx::Type type, const Variant& variant);
Handler conversion_handler(ptx::Type to, const Variant& variant);
Handler half_handler(Operation operation, ptx::Type type);
Handler video_handler(Operation operation);
Handler packed_integer_handler(Operation operation, ptx::Type type, const Variant& variant);
Handler narrow_comparison_handler(ptx::Type compared, bool to_value);
Handler narrow_conversion_handler(ptx::Type to, const Variant& variant);
Handler scale_conversion_handler(ptx::Type to, const Variant& variant);
Handler load_handler(ptx::Space space, ptx::Type type, bool wide);
Handler store_handler(ptx::Space space, ptx::Type type, bool wide);
Handler parameter_handler(ptx::Type type, bool wide);
Handler atomic_handler(ptx::Space space, AtomicOperation operation, ptx::Type type);
Handler warp_handler(WarpOperation operation, ptx::Type type);
Handler special_handler(std::string_view name, bool wide);
void pack_handler(Warp& warp, const Instruction& instruction, Mask active);
void unpack_handler(Warp& warp, const Instruction& instruction, Mask active);
void fence_handler(Warp& warp, const Instruction& instruction, Mask active);
void block_fence_handler(Warp& warp, const Instruction& instruction, Mask active);
void space_test_handler(Warp& warp, const Instruction& instruction, Mask active);
void copy_async_handler(Warp& warp, const Instruction& instruction, Mask active);
Handler matrix_multiply_handler(MatrixElement element);
void load_fragment_handler(Warp& warp, const Instruction& instruction, Mask active);
void store_fragment_handler(Warp& warp, const Instruction& instruction, Mask active);
void load_rows_handler(Warp& warp, const Instruction& instruction, Mask active);
void store_rows_handler(Warp& warp, const Instruction& instruction, Mask active);
void transpose_matrix_handler(Warp& warp, const Instruction& instruction, Mask active);

Units global_sectors(const std::uint64_t* addresses, Mask active, unsigned width);
Units shared_wavefronts(const std::uint32_t* offsets, Mask active, unsigned width);
Units shared_atomic_wavefronts(const std::uint32_t* offsets, Mask active, unsigned width);
/// The most active lanes that have one address: an atomic serves them one after another.
unsigned most_at_one_address(const std::uint64_t* addresses, Mask active);
unsigned most_at_one_address(const std::uint32_t* offsets, Mask active);
void texture_fetch_handler(Warp& warp, const Instruction& instruction, Mask active);
void surface_load_handler(Warp& warp, const Instruction& instruction, Mask active);
void surface_store_handler(Warp& warp, const Instruction& instruction, Mask active);
Handler image_query_handler(bool texture);

}  // namespace lockstep::emulator::handlers::LOCKSTEP_LEVEL
