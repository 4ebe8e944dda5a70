#!/usr/bin/env python3
"""The study of multi-tau as it is typed, on the emulated device: example, own files, server and client, what they write
and refuse.

Arguments: the root of the tree, the command lockstep.
"""

import atexit
import itertools
import math
import operator
import pathlib
import random
import re
import socket
import struct
import tempfile

from study_desk import ROOT, Desk, fail

FOLDER = ROOT / "exercises/17-multi-tau/study"
SENSORS, INSTANTS = 8, 20_000


class Server:
    """A server that waits for a stream, on a port that it has chosen."""

    def __init__(self, desk, *words):
        self.program = desk.start("multi-tau", "--listen", "0", *words)
        atexit.register(self.program.kill)  # it would wait for ever where a check fails
        line = self.program.stdout.readline()
        found = re.fullmatch(r"listening 127\.0\.0\.1:(\d+)\n", line)
        if not found:
            fail(f"no server: {line}{self.program.communicate()}")
        self.port = int(found[1])

    def ends(self, status, sentence=""):
        out, err = self.program.communicate()
        if self.program.returncode != status or sentence not in err or err.count("\n") != (status != 0):
            fail(f"the server ends with status {self.program.returncode}, not {status} and {sentence}\n{out}{err}")
        return out


def prefix_sums(counts):
    return list(itertools.accumulate(counts, initial=0))


def exact(traces, delay, length):
    """The symmetrically normalised correlation of each trace, from prefix sums of its counts: bins of `length` counts
    that end at multiples of it, and as many counts `delay` before, all of them in the measurement."""
    values = []
    end = -(-(delay + length) // length) * length  # of the first bin
    for sums in traces:
        newest = list(map(operator.sub, sums[end::length], sums[end - length :: length]))
        before = slice(end - delay, len(sums) - delay, length)
        past = list(map(operator.sub, sums[before], sums[end - delay - length :: length]))
        products = sum(map(operator.mul, newest, past))
        values.append(len(newest) * products / (sum(newest) * sum(past)) - 1)
    return values, len(newest)


def standard_error(values):
    mean = math.fsum(values) / len(values)
    return math.sqrt(math.fsum((value - mean) ** 2 for value in values) / (len(values) * (len(values) - 1)))


def check_curve(rows, traces, interval):
    """A row for each of the delays that have at least 32 products."""
    delays = [(32 * (2**g - 1) + p * 2**g, 2**g) for g in range(10) for p in range(32)]
    for row, (delay, length) in zip(rows, delays):
        if (int(row["lag_instants"]), int(row["bin_instants"])) != (delay, length):
            fail(f"not delay {delay} in bins of {length}: {row}")
        if not math.isclose(float(row["lag_seconds"]), delay * interval, rel_tol=1e-8):
            fail(f"not {delay * interval} s: {row}")
        if delay % 3 != 0:
            continue  # it takes as long as all others together
        values, products = exact(traces, delay, length)
        mean = math.fsum(values) / len(values)
        if int(row["products"]) != products or not abs(float(row["correlation"]) - mean) <= 1e-7:
            fail(f"{row}, exactly {mean} of {products} products")
        if not abs(float(row["standard_error"]) - standard_error(values)) <= 1e-7:
            fail(f"{row}, exactly {standard_error(values)}")
    if len(rows) < 200 or not int(rows[-1]["products"]) >= 32:
        fail(f"{len(rows)} rows, the last {rows[-1:]}")


def check_example(desk):
    shown = desk.example(["example-correlation.csv", "example.svg"])
    counts = (FOLDER / "example.bin").read_bytes()
    check_curve(desk.rows("example-correlation.csv"), [prefix_sums(counts[s::SENSORS]) for s in range(SENSORS)], 1e-4)
    # What make_example simulated: 1.004 molecules that stay 2.4 ms.
    fit = re.search(r"^fit .* ([\d.]+) molecules in the focus, which stay ([\d.]+) ms", shown, re.MULTILINE)
    if not fit or not abs(float(fit[1]) - 1.004) < 0.1 or not abs(float(fit[2]) - 2.4) < 0.2:
        fail(f"not the fit of what was simulated: {shown}")
    desk.check_picture("example.svg", "multi-tau-study.svg",
                       ["example.bin", "lag time τ", "correlation G(τ)", "1 ms",
                        "mean, standard error of 8 sensors"])  # fmt: skip
    return counts


def check_thresholds(desk):
    """The table of delays per group: the page has what it prints, but for the times."""

    def without_times(text):
        return re.findall(r"^ +(\d+|plain) +(\d+) +([\d.]+) +[\d.]+ [mµ]?s +([\d.]+ %) +([\d.]+)$", text, re.MULTILINE)

    shown = desk.passes("--thresholds", "--output", "th")
    rows, page = without_times(shown), without_times(desk.page())
    if rows != page or [row[0] for row in rows] != ["4", "8", "16", "32", "64", "128", "plain"]:
        fail(f"{FOLDER}/README.md has the table {page}, and it prints {rows}")
    errors = [float(row["error_of_bins"]) for row in desk.rows("th-thresholds.csv")]
    if errors != sorted(errors, reverse=True) or not errors[0] > 100 * errors[4] > 0:
        fail(f"not errors that fall with the square of the delays: {errors}")


def check_own_files(desk, counts):
    """The example as text, in packets of another length; one sensor alone; a file of few sensors."""
    frames = [counts[i : i + SENSORS] for i in range(0, len(counts), SENSORS)]
    text = "\r\n".join(",".join(map(str, frame)) for frame in frames)
    desk.write("own.csv", f"# counts\r\n{text}")
    desk.passes("own.csv", "--interval", "1e-4", "--packet", "777", "--groups", "10")
    desk.must_be_same("own-correlation.csv", "example-correlation.csv", "the curve of text, in other packets")
    desk.write("few.bin", counts[: SENSORS * 5000])
    shown = desk.passes("few.bin", "--sensors", "8", "--sensor", "3", "--groups", "2", "--output", "one")
    if not re.search(r"^errors +from the variation between 9 blocks of time of 512 instants$", shown, re.MULTILINE):
        fail(shown)
    [values], products = exact([prefix_sums(counts[2 : SENSORS * 5000 : SENSORS])], 64, 2)
    row = desk.rows("one-correlation.csv")[32 + 16]
    if (row["lag_instants"], row["lag_seconds"], int(row["products"])) != ("64", "", products):
        fail(f"not a delay of 64: {row}")
    if not abs(float(row["correlation"]) - values) < 1e-7 or not float(row["standard_error"]) > 0:
        fail(f"{row}, exactly {values}")


def check_fits(desk, counts):
    """Why there is no fit: a time out of range, or few points."""
    rng = random.Random(5)
    light = [rng.randrange(8) for _ in range(8001)]
    desk.write("fast.bin", bytes(a + b for a, b in zip(light, light[1:])))  # they know of their neighbours alone
    desk.write("few.bin", counts[: SENSORS * 70])
    for name, sensors, why in (
        ("fast.bin", 1, "the diffusion time is outside 0.5 to 100 000 instants"),
        ("few.bin", SENSORS, "7 lag times up to a tenth of the measurement, and a fit needs 8"),
    ):
        shown = desk.passes(name, "--sensors", sensors, "--fit", "2d", "--groups", "4", "--output", "fit")
        if f"fit       none: {why}\n" not in shown:
            fail(f"{name}: {shown}")


def check_dark_sensors(desk, counts):
    """Sensors without counts have no part in the curve, its errors and the comparison of thresholds."""
    lit = bytearray(counts[: SENSORS * 3000])
    for dark in (1, 6):
        lit[dark::SENSORS] = bytes(3000)
    desk.write("dark.bin", bytes(lit))
    shown = desk.passes("dark.bin", "--sensors", SENSORS, "--groups", "3", "--output", "dark")
    for line in ("mean of 6 sensors with counts", "errors    from the variation between 11 blocks of time"):
        if line not in shown:
            fail(f"not {line}: {shown}")
    # One of them alone, as a file of its own and by --sensor.
    desk.write("third.bin", bytes(lit[2::SENSORS]))
    alone = desk.passes("third.bin", "--sensors", "1", "--groups", "3", "--thresholds", "--output", "third")
    chosen = desk.passes("dark.bin", "--sensors", SENSORS, "--sensor", "3", "--groups", "3", "--thresholds", "--output",
                         "chosen")  # fmt: skip
    if ", of sensor 3\n" not in chosen:
        fail(chosen)
    third, both = desk.rows("third-thresholds.csv"), desk.rows("chosen-thresholds.csv")
    differences = [[row["rms_difference"] for row in rows] for rows in (third, both)]
    if differences[0] != differences[1] or not float(differences[0][0]) > 0:
        fail(f"not the comparison of sensor 3 alone: {differences}\n{alone}{chosen}")


def check_stream(desk, counts):
    """Server and client: the curve of the file itself, byte by byte, and a line for each packet."""
    server = Server(desk, "--output", "live", "--write-every", "0.2")
    sent = desk.passes("--send", f"127.0.0.1:{server.port}", "--packet", "500", "--rate", "20000")
    shown = server.ends(0)
    desk.must_be_same("live-correlation.csv", "example-correlation.csv", "the curve of a stream")
    if not re.search(r"^counted +all, as the server says$", sent, re.MULTILINE) or "in 40 packets" not in sent:
        fail(sent)
    latency = r"^latency +median .* 99 % within .* largest .* of 40 packets waited for others$"
    if not re.search(latency, shown, re.MULTILINE):
        fail(shown)
    if not re.search(r"^counted +\d+ instants, curve written$", shown, re.MULTILINE):
        fail(f"no curve while it ran: {shown}")
    packets = desk.rows("live-packets.csv")
    if [(row["packet"], row["instants"]) for row in packets] != [(str(i + 1), "500") for i in range(40)]:
        fail(f"not a row for each packet: {packets}")
    if not all(0 < float(row["latency_seconds"]) < 60 for row in packets):
        fail(f"no latencies: {packets}")


def check_slow_server(desk):
    """A server that works slower than counts come holds the sender back, and loses none."""
    sensors, instants = 512, 8192  # more than what the buffers of both sides hold
    counts = random.Random(3).randbytes(sensors * instants)
    desk.write("much.bin", counts)
    options = ("--groups", "1", "--sensor", "5", "--output")
    desk.passes("much.bin", "--sensors", sensors, *options, "direct")
    server = Server(desk, "--queue", "2", "--pause", "100", *options, "slow")
    sent = desk.passes("--send", f"127.0.0.1:{server.port}", "much.bin", "--sensors", sensors, "--packet", "512")
    shown = server.ends(0)
    if not re.search(r"^counted +8192 instants in 16 packets", shown, re.MULTILINE):
        fail(shown)
    held = re.search(r"^held back ([\d.]+) (m?s) in all", sent, re.MULTILINE)
    if not held or not float(held[1]) * (1 if held[2] == "s" else 1e-3) > 0.1:
        fail(f"not held back: {sent}")
    desk.must_be_same("slow-correlation.csv", "direct-correlation.csv", "the curve of a slow server")
    waited = [row["waited"] for row in desk.rows("slow-packets.csv")]
    if waited[0] != "0" or waited.count("1") < 8:
        fail(f"not what has waited: {waited}")


def stream_header(sensors, interval=0.0, version=1):
    return b"LSCOUNTS" + struct.pack("<IId", version, sensors, interval)


def packet(elapsed, counts, sensors):
    return b"PACK" + struct.pack("<IQ", len(counts) // sensors, elapsed) + counts


def check_broken_streams(desk, counts):
    """What is no stream, and a sender that dies: a line, and all whole packets before it are counted."""
    first, second = counts[: 8 * 3000], counts[8 * 3000 : 8 * 5000]
    whole = stream_header(8) + packet(0, first, 8) + packet(3000, second, 8)
    # What does not begin as a stream is refused, and whoever comes while there is one.
    server = Server(desk, "--output", "after")
    strays = (
        (b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", '"GET / HT", is not LSCOUNTS'),
        (stream_header(8, version=7), "version 7"),
        (stream_header(0), "0 sensors"),
        (b"LSC", "after 3 of the 24 bytes"),
    )
    for bytes_sent, _ in strays:
        with socket.create_connection(("127.0.0.1", server.port)) as connection:
            connection.sendall(bytes_sent)
    with socket.create_connection(("127.0.0.1", server.port)) as connection:
        connection.sendall(whole)
        for (_, sentence), line in zip(strays, server.program.stdout):
            if not re.match("refused +", line) or sentence not in line:
                fail(f"{sentence}: {line}")
        line = server.program.stdout.readline()
        if "8 sensors" not in line:
            fail(f"no stream: {line}")
        try:
            socket.create_connection(("127.0.0.1", server.port)).close()
            fail("a second sender is neither served nor refused")
        except ConnectionRefusedError:
            pass
        connection.sendall(packet(5000, b"", 8))
        if connection.recv(16, socket.MSG_WAITALL) != b"DONE" + struct.pack("<IQ", 0, 5000):
            fail("no answer")
    server.ends(0)
    for bytes_sent, sentence, counted in (
        (stream_header(8), "the sender ended after 0 packets", 0),
        (whole, "the sender ended after 2 packets, without the packet that says so; 5000 instants before it", 5000),
        (whole[:-1], "the sender ended within packet 2, after 15999 of the 16000 bytes of its counts; 3000", 3000),
        (whole + b"PACK" + b"\xff" * 12, "a packet follows on 18446744073709551615 instants, and 5000 have come", 5000),
    ):
        server = Server(desk, "--output", f"broken-{counted}", "--groups", "2")
        with socket.create_connection(("127.0.0.1", server.port)) as connection:
            connection.sendall(bytes_sent)
        server.ends(1, sentence)
        made = {name for name in desk.files() if name.startswith(f"broken-{counted}")}
        if counted == 0:
            if made:
                fail(f"{sentence}: it left {made}")
            continue
        desk.write("part.bin", counts[: 8 * counted])
        desk.passes("part.bin", "--sensors", "8", "--groups", "2")
        desk.must_be_same(f"broken-{counted}-correlation.csv", "part-correlation.csv", sentence)


def check_server_that_ends(desk):
    """Something else that listens: the client says so."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        client = desk.start("multi-tau", "--send", f"127.0.0.1:{listener.getsockname()[1]}", "--rate", "1e9")
        listener.settimeout(60)
        listener.accept()[0].close()
        _, err = client.communicate()
    if client.returncode != 1 or "the server" not in err or err.count("\n") != 1:
        fail(f"a server that ends: status {client.returncode} {err}")


def check_refusals(desk):
    desk.check_help()
    desk.write("short.bin", bytes(range(63)))
    desk.write("dark.bin", bytes(1000))
    desk.write("wrong.csv", "1,2\n3,1000\n")
    desk.refuses(1, "none.bin cannot be opened", "none.bin", "--sensors", "1")
    desk.refuses(1, "short.bin holds bytes, and they do not say of how many sensors", "short.bin")
    desk.refuses(1, "short.bin: byte 60: the last frame has 3 bytes", "short.bin", "--sensors", "4")
    desk.refuses(1, "short.bin: 63 instants are too few", "short.bin", "--sensors", "1")
    desk.refuses(1, "dark.bin: no photons in 1000 instants", "dark.bin", "--sensors", "1")
    desk.refuses(1, 'wrong.csv:2: "1000" is no count', "wrong.csv")
    desk.refuses(1, "--sensor 9: there are 8 sensors", "--sensor", "9")
    desk.refuses(1, "missing/x-correlation.csv cannot be written", "few.bin", "--sensors", "8", "--groups", "1",
                 "--output", "missing/x")  # fmt: skip
    desk.refuses(1, "missing/x-correlation.csv cannot be written: No such", "--listen", "0", "--output", "missing/x")
    (desk.folder / "place-packets.csv").mkdir()
    desk.refuses(1, "place-packets.csv cannot be written: Is a directory", "--listen", "0", "--output", "place")
    desk.refuses(2, "there is no option --sensr", "--sensr", "2")
    desk.refuses(2, "--groups: \"11\" is no number from 1 to 10", "--groups", "11")
    desk.refuses(2, "--fit: \"3d\" is neither 2d nor", "--fit", "3d")
    desk.refuses(2, "--thresholds goes with a file", "--thresholds", "--listen", "0")
    desk.refuses(2, "--queue goes with --listen", "--queue", "2")
    desk.refuses(2, '--send: "here" is not HOST:PORT', "--send", "here")
    for port in ("99999", "0", "65536", "1x"):
        desk.refuses(2, f'--send: "{port}" is no port, from 1 to 65535', "--send", f"127.0.0.1:{port}")
    desk.refuses(2, "--packet: 1048576 instants last longer than 1e9 seconds",
                 "--send", "127.0.0.1:9", "--interval", "1e6", "--packet", "1048576")  # fmt: skip
    desk.refuses(2, "is one word too many", "--listen", "0", "short.bin")
    desk.refuses(2, "are more than 16 MiB", "--packet", "1048576", "--sensors", "32")
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        desk.refuses(1, f"port {port} of 127.0.0.1 cannot be had", "--listen", port)
    desk.refuses(1, f"no server answers at 127.0.0.1:{port}", "--send", f"127.0.0.1:{port}")


def main():
    with tempfile.TemporaryDirectory() as name:
        desk = Desk(pathlib.Path(name), FOLDER, "multi-tau")
        counts = check_example(desk)
        check_thresholds(desk)
        check_own_files(desk, counts)
        check_fits(desk, counts)
        check_dark_sensors(desk, counts)
        check_stream(desk, counts)
        check_slow_server(desk)
        check_broken_streams(desk, counts)
        check_server_that_ends(desk)
        check_refusals(desk)
        # --own links the file of the exercise, here the starter, which leaves its state as it was.
        desk.is_refused(1, "multi-tau: multi_tau left a state that does not hold the newest counts: "
                        "see ./lockstep grade multi-tau\n", "--own", "multi-tau")  # fmt: skip
        desk.check_make_example("example.bin")


if __name__ == "__main__":
    main()
