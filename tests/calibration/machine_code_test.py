#!/usr/bin/env python3
"""The kernels that measure a GPU hold what they are timed for, in the machine code of every architecture that the
toolkit knows: each operation of a step once, no registers in memory, and little else in the loop.

machine_code_test.py NVCC CALIBRATION_KERNELS.PTX
"""
import collections
import pathlib
import struct
import subprocess
import sys
import tempfile

INSTRUCTION_BYTES = 16
# The lowest 9 bits of an instruction are its operation, the same since compute capability 7.0. Source: comparison with
# the output of nvdisasm.
OPERATIONS = {
    "FFMA": 0x023, "MUFU": 0x108, "IMAD": 0x024, "LDS": 0x184, "ATOMS": 0x18C, "LDG": 0x181, "RED": 0x18E,
    "LDL": 0x183, "STL": 0x187, "NOP": 0x118,
}
NAMES = {number: name for name, number in OPERATIONS.items()}
CHAINS_TIMES_LINKS, DRAWS = 128, 16

# Kernel: the operation that it is timed for, how often a step holds it, and how many instructions each of them takes
# with its address.
EXPECTED = {
    "fused_multiply_adds_kernel": ("FFMA", CHAINS_TIMES_LINKS, 1),
    "special_functions_kernel": ("MUFU", CHAINS_TIMES_LINKS, 1),
    "integer_products_kernel": ("IMAD", CHAINS_TIMES_LINKS, 1),
    "shared_loads_kernel": ("LDS", CHAINS_TIMES_LINKS, 1),
    "shared_atomics_kernel": ("ATOMS", CHAINS_TIMES_LINKS, 1),
    "random_shared_atomics_kernel": ("ATOMS", DRAWS, 4),
    "gathers_kernel": ("LDG", DRAWS, 5),
    "global_atomics_kernel": ("RED", DRAWS, 4),
}
# Before and after the loop a kernel may use its operation too (IMAD computes addresses, LDS reads counters), among
# instructions that start, clear and sum up.
MOST_OUTSIDE, MOST_AROUND = 12, 80


def architectures(nvcc):
    text = subprocess.run([nvcc, "--list-gpu-code"], check=True, capture_output=True, text=True).stdout
    return [line for line in text.split() if line.startswith("sm_")]


def code_of(cubin):
    """The machine code of each kernel in an ELF file."""
    sections_at, = struct.unpack_from("<Q", cubin, 0x28)
    entry_bytes, count, names_index = struct.unpack_from("<HHH", cubin, 0x3A)
    sections = [struct.unpack_from("<IIQQQQ", cubin, sections_at + i * entry_bytes) for i in range(count)]
    names_at = sections[names_index][4]
    for name_at, _, _, _, begin, size in sections:
        name = cubin[names_at + name_at:cubin.index(b"\0", names_at + name_at)].decode()
        if name.startswith(".text."):
            yield name.removeprefix(".text."), cubin[begin:begin + size]


def operations_of(code):
    words = (struct.unpack_from("<Q", code, at)[0] for at in range(0, len(code), INSTRUCTION_BYTES))
    return collections.Counter(NAMES.get(word & 0x1FF) for word in words)


def faults_of(architecture, cubin):
    kernels = dict(code_of(cubin))
    for name, (operation, wanted, instructions) in EXPECTED.items():
        if name not in kernels:
            yield f"{architecture}: there is no {name}"
            continue
        found = operations_of(kernels[name])
        if not wanted <= found[operation] <= wanted + MOST_OUTSIDE:
            yield f"{architecture}: {name} holds {operation} {found[operation]} times, a step needs {wanted}"
        around = sum(found.values()) - found["NOP"] - wanted * instructions
        if around > MOST_AROUND:
            yield f"{architecture}: {name} holds {around} instructions around its {wanted} {operation}"
        if found["LDL"] + found["STL"] > 0:
            yield f"{architecture}: {name} keeps registers in memory"


def main():
    nvcc, ptx = sys.argv[1:]
    faults, checked = [], architectures(nvcc)
    with tempfile.TemporaryDirectory() as folder:
        for architecture in checked:
            cubin = pathlib.Path(folder) / f"{architecture}.cubin"
            subprocess.run([nvcc, "-cubin", f"-arch={architecture}", "-o", cubin, ptx], check=True)
            faults += faults_of(architecture, cubin.read_bytes())
    print("\n".join(faults) if faults else f"as intended on {', '.join(checked)}")
    return 1 if faults or not checked else 0


sys.exit(main())
