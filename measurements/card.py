"""Whether this machine has a GPU to measure on."""

import ctypes


def has_gpu():
    """As the driver says: it can be there without a card, and a card without a driver that starts."""
    try:
        driver = ctypes.CDLL("libcuda.so.1")
    except OSError:
        return False
    count = ctypes.c_int()
    return driver.cuInit(0) == 0 and driver.cuDeviceGetCount(ctypes.byref(count)) == 0 and count.value > 0
