// expect: compile-error
// tries: Keeps the judge busy with a symbol whose name, written out, has a hundred million letters.
// stopped by: Names are compared before they are demangled, and demangled only while that is short work.
#include "transpose.h"

void other() asm(
    "_Z9transposeSt4pairIiiES_IS0_S0_ES_IS1_S1_ES_IS2_S2_ES_IS3_S3_ES_IS4_S4_ES_IS5_S5_ES_IS6_S6_ES_IS7_S7_"
    "ES_IS8_S8_ES_IS9_S9_ES_ISA_SA_ES_ISB_SB_ES_ISC_SC_ES_ISD_SD_ES_ISE_SE_ES_ISF_SF_ES_ISG_SG_ES_ISH_SH_ES_"
    "ISI_SI_ES_ISJ_SJ_ES_ISK_SK_ES_ISL_SL_ES_ISM_SM_ES_ISN_SN_E");
void other() {}
