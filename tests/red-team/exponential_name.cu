// expect: compile-error
// tries: Fills the judge's memory with a symbol of which a demangler makes 20 GB of text.
// stopped by: Names are demangled in bounded time and text; beyond that the scopes of a name must do.
// says: transpose.cu defines transpose(…)
#include <cuda_runtime.h>

void other() asm(
    "_Z9transposeSt4pairIiiES_IS0_S0_ES_IS1_S1_ES_IS2_S2_ES_IS3_S3_ES_IS4_S4_ES_IS5_S5_ES_IS6_S6_ES_IS7_S7_E"
    "S_IS8_S8_ES_IS9_S9_ES_ISA_SA_ES_ISB_SB_ES_ISC_SC_ES_ISD_SD_ES_ISE_SE_ES_ISF_SF_ES_ISG_SG_ES_ISH_SH_ES_I"
    "SI_SI_ES_ISJ_SJ_ES_ISK_SK_ES_ISL_SL_ES_ISM_SM_ES_ISN_SN_ES_ISO_SO_ES_ISP_SP_ES_ISQ_SQ_ES_ISR_SR_E");

void other() {}
