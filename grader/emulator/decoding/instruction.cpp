// Which function decodes an instruction: the one that its opcode's row names.
#include "emulator/decoding/function_decoder.h"
#include "emulator/execution/barrier.h"

namespace lockstep::emulator::decoding {

void FunctionDecoder::decode_instruction() {
  Modifiers modifiers(*current_);
  switch (row_->decoder) {
    case Decoder::refused:
    case Decoder::ends_block:
      throw NotSupported{};
    case Decoder::does_nothing:
      return decode_nothing();
    case Decoder::arithmetic:
      return decode_arithmetic(modifiers);
    case Decoder::sum:
      return current_->has("cc") ? decode_carry(modifiers) : decode_arithmetic(modifiers);
    case Decoder::carry:
      return decode_carry(modifiers);
    case Decoder::product:
      return decode_multiply(modifiers);
    case Decoder::product_24:
      return decode_multiply_24(modifiers);
    case Decoder::dot_product:
      return decode_dot_product(modifiers);
    case Decoder::find_leading:
      return decode_find_leading(modifiers);
    case Decoder::funnel_shift:
      return decode_funnel_shift(modifiers);
    case Decoder::permutation:
      return decode_permutation(modifiers);
    case Decoder::video:
      return decode_video(modifiers);
    case Decoder::comparison:
      return decode_compare(modifiers, false);
    case Decoder::comparison_to_value:
      return decode_compare(modifiers, true);
    case Decoder::selection:
      return decode_select(modifiers);
    case Decoder::property_test:
      return decode_property_test(modifiers);
    case Decoder::move:
      return decode_move(modifiers);
    case Decoder::conversion:
      return decode_convert(modifiers);
    case Decoder::address_conversion:
      return decode_address_conversion(modifiers);
    case Decoder::space_test:
      return decode_space_test(modifiers);
    case Decoder::load:
      return decode_load_store(modifiers, false);
    case Decoder::store:
      return decode_load_store(modifiers, true);
    case Decoder::atomic:
      return decode_atomic(modifiers, true);
    case Decoder::reduction:
      return decode_atomic(modifiers, false);
    case Decoder::fence:
      return decode_fence();
    case Decoder::copy:
      return decode_copy_async(modifiers);
    case Decoder::mbarrier:
      return decode_mbarrier(modifiers);
    case Decoder::map_to_rank:
      return decode_map_to_rank(modifiers);
    case Decoder::rank_of_address:
      return decode_rank_of_address(modifiers);
    case Decoder::texture:
      return decode_texture(modifiers, false);
    case Decoder::texture_gather:
      return decode_texture(modifiers, true);
    case Decoder::texture_query:
      return decode_image_query(modifiers, true);
    case Decoder::surface_load:
      return decode_surface(modifiers, false);
    case Decoder::surface_store:
      return decode_surface(modifiers, true);
    case Decoder::surface_query:
      return decode_image_query(modifiers, false);
    case Decoder::shuffle:
      return decode_shuffle(modifiers);
    case Decoder::vote:
      return decode_vote(modifiers);
    case Decoder::match:
      return decode_match(modifiers);
    case Decoder::reduction_of_warp:
      return decode_reduce(modifiers);
    case Decoder::election:
      return decode_election(modifiers);
    case Decoder::active_mask:
      return decode_active_mask(modifiers);
    case Decoder::barrier:
      return decode_barrier(modifiers);
    case Decoder::sleep:
      return emit_plain(execution::let_others_run);
    case Decoder::matrix_product:
      return decode_matrix(modifiers);
    case Decoder::matrix_load:
      return decode_matrix_rows(modifiers, false);
    case Decoder::matrix_store:
      return decode_matrix_rows(modifiers, true);
    case Decoder::matrix_transpose:
      return decode_matrix_transpose(modifiers);
  }
}

/// Every operation is seen by all as it is done, whichever proxy does it: fences between proxies do nothing.
void FunctionDecoder::decode_fence() {
  const bool of_proxies =
      current_->opcode == "fence" && (current_->has("proxy") || current_->has("mbarrier_init"));
  if (of_proxies) return decode_nothing();
  const bool block_alone = current_->has("cta");
  context_.kernel.orders_blocks |= !block_alone;
  emit_plain(block_alone ? table_.block_fence : table_.fence);
}

}  // namespace lockstep::emulator::decoding
