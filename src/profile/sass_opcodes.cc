// SPDX-License-Identifier: Apache-2.0
#include "profile/sass_opcodes.h"

#include <map>

#include "base/text.h"

namespace kp::profile {
namespace {

struct Family {
  SassClass what;
  const char* names;
};

// Names from "CUDA Binary Utilities", instruction set reference, sm_70 to sm_120.
constexpr Family kFamilies[] = {
    {SassClass::kFloat,
     "FADD FADD2 FADD32I FCHK FFMA FFMA2 FFMA32I FMNMX FMNMX3 FMUL FMUL2 FMUL32I FSEL FSET FSETP "
     "FSWZADD"},
    {SassClass::kHalf,
     "HADD2 HADD2_32I HFMA2 HFMA2_32I HMNMX2 HMUL2 HMUL2_32I HSET2 HSETP2 VHMNMX"},
    {SassClass::kDouble, "DADD DFMA DMNMX DMUL DSETP"},
    {SassClass::kInteger,
     "BMSK BREV FLO IABS IADD IADD3 IADD32I IADD64 IDP IDP4A IMAD IMAD32I IMNMX IMUL IMUL32I "
     "ISCADD ISCADD32I ISETP LEA LOP LOP3 LOP32I POPC PLOP3 PSETP SHF SHL SHR VABSDIFF VABSDIFF4 "
     "VIADD VIADDMNMX VIMNMX VIMNMX3"},
    {SassClass::kUniform,
     "R2UR S2UR UBMSK UBREV UCLEA UF2FP UF2I UFADD UFFMA UFLO UFMNMX UFMUL UFSEL UFSET UFSETP UI2F "
     "UIABS UIADD3 UIMAD UIMNMX UISETP ULEA ULOP ULOP3 ULOP32I UMOV UP2UR UPLOP3 UPOPC UPRMT "
     "UPSETP "
     "UR2UP USEL USGXT USHF USHL USHR UVIADD UVIMNMX VOTEU"},
    {SassClass::kMove, "CS2R LDC LDCU LEPC MOV MOV32I MOVM P2R PRMT R2P S2R SEL SGXT ULDC"},
    {SassClass::kXu, "MUFU"},
    {SassClass::kConversion, "F2F F2FP F2I F2IP FRND I2F I2FP I2I I2IP"},
    {SassClass::kGlobalLoad, "LD LDG"},
    {SassClass::kGlobalStore, "ST STG"},
    {SassClass::kAsyncCopy, "LDGSTS"},
    {SassClass::kTma, "UBLKCP UBLKPF UBLKRED UTMALDG UTMALST UTMAPF UTMAREDG UTMASTG"},
    {SassClass::kLocal, "LDL STL"},
    {SassClass::kShared, "LDS LDSM LDTM STAS STS STSM STTM UTCCP"},
    {SassClass::kAtomic, "ATOM ATOMG ATOMS RED REDAS REDG REDS UREDGR"},
    {SassClass::kTexture, "SUATOM SULD SURED SUST TEX TLD TLD4 TMML TXD TXQ"},
    {SassClass::kMmaWarp, "BMMA DMMA HMMA IMMA OMMA QMMA"},
    {SassClass::kMmaWarpgroup, "BGMMA HGMMA IGMMA QGMMA UTCHMMA UTCIMMA UTCOMMA UTCQMMA"},
    {SassClass::kBarrier, "ACQBULK BAR UCGABAR_ARV UCGABAR_WAIT"},
    {SassClass::kSync,
     "ARRIVES CCTL CCTLL CCTLT DEPBAR ERRBAR FENCE LDGDEPBAR LDTRAM MEMBAR SYNCS UCCTL UTCATOMSWS "
     "UTCBAR UTMACCTL UTMACMDFLUSH WARPGROUP WARPGROUPSET WARPSYNC"},
    {SassClass::kCommunication, "CREDUX MATCH REDUX SHFL VOTE"},
    {SassClass::kCall, "CALL"},
    {SassClass::kControl,
     "BMOV BPT BRA BREAK BRX BRXU BSSY BSYNC ELECT ENDCOLLECTIVE EXIT JMP JMX JMXU KILL NANOSLEEP "
     "NOP PREEXIT RET RPCMOV RTT USETMAXREG WARPSYNCALL YIELD"},
};

const std::map<std::string_view, SassClass>& classes() {
  static const auto* table = [] {
    auto* made = new std::map<std::string_view, SassClass>;
    for (const Family& family : kFamilies) {
      for (const std::string_view name : split(family.names, ' ')) (*made)[name] = family.what;
    }
    return made;
  }();
  return *table;
}

/// "IMAD.MOV.U32 R5, RZ, RZ, R2" and "HFMA2.MMA R5, -RZ, RZ, 0, 0.5" move through a pipe that
/// happens to be free: zero times zero, plus what is moved.
bool adds_to_nothing(const SassInstruction& instruction) {
  const std::string& operands = instruction.operands;
  return operands.find(", -RZ, RZ, ") != std::string::npos ||
         operands.find(", RZ, RZ, ") != std::string::npos;
}

}  // namespace

SassClass class_of(const SassInstruction& instruction) {
  const std::string_view name = instruction.name();
  if ((name == "IMAD" || name.starts_with("HFMA2")) && adds_to_nothing(instruction))
    return SassClass::kMove;
  // "HADD2.F32 R4, -RZ, R2.H0_H0" widens a half.
  if (name == "HADD2" && instruction.has_suffix("F32")) return SassClass::kConversion;
  const auto found = classes().find(name);
  return found == classes().end() ? SassClass::kOther : found->second;
}

bool is_fused(const SassInstruction& instruction) {
  const std::string_view name = instruction.name();
  const bool product = name.starts_with("FFMA") || name.starts_with("HFMA2") || name == "DFMA";
  return product && class_of(instruction) != SassClass::kMove;
}

int bytes_per_lane(const SassInstruction& instruction) {
  constexpr struct {
    const char* suffix;
    int bytes;
  } kWidths[] = {{"U8", 1}, {"S8", 1}, {"U16", 2}, {"S16", 2}, {"64", 8}, {"128", 16}, {"256", 32}};
  for (const auto& width : kWidths) {
    if (instruction.has_suffix(width.suffix)) return width.bytes;
  }
  return 4;
}

}  // namespace kp::profile
