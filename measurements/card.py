"""Whether this machine has a GPU to measure on."""

import ctypes


def has_gpu():
    """The driver is asked: it may be there without a card, and a card without a driver that works."""
    try:
        driver = ctypes.CDLL("libcuda.so.1")
    except OSError:
        return False
    count = ctypes.c_int()
    return driver.cuInit(0) == 0 and driver.cuDeviceGetCount(ctypes.byref(count)) == 0 and count.value > 0
