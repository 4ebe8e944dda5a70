#!/usr/bin/env python3
"""The study of flood on maps that GDAL reads, and the GeoTIFF files that it writes of them.

Arguments: the root of the tree, the command lockstep. Status 77 where GDAL is missing.
"""

import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

from flood_study_test import FOLDER, NAN, check_table, grid_of, lowest_levels, mask_of, write_grid
from study_desk import Desk, fail


def translate(desk, *words):
    subprocess.run(["gdal_translate", "-q", *map(str, words)], check=True, cwd=desk.folder)


def values_of(desk, name):
    """Of a GeoTIFF, as GDAL turns it into text."""
    translate(desk, "-of", "AAIGrid", name, "text.asc")
    return grid_of(desk.folder / "text.asc")[1]


def info_of(desk, name):
    found = subprocess.run(["gdalinfo", "-json", name], capture_output=True, text=True, check=True, cwd=desk.folder)
    return json.loads(found.stdout)


def check_example(desk):
    """The example as a GeoTIFF of tiles, in UTM, gives what it gives as text; also in strips."""
    translate(desk, FOLDER / "example.asc", "e.tif", "-a_srs", "EPSG:32633", "-co", "TILED=YES", "-co", "BLOCKXSIZE=32",
              "-co", "BLOCKYSIZE=48", "-co", "COMPRESS=DEFLATE")  # fmt: skip
    desk.passes("--output", "text")
    printed = desk.passes("e.tif", "--source", "3500,3250", "--level", "440", "--strip", "33")
    if "(GTiff, by GDAL)" not in printed or "wrote     e-water.tif" not in printed:
        fail(printed)
    made, before = info_of(desk, "e-water.tif"), info_of(desk, "e.tif")
    same = all(made[key] == before[key] for key in ("size", "geoTransform", "coordinateSystem"))
    if not same or made["bands"][0]["type"] != "Byte" or made["bands"][0]["noDataValue"] != 255:
        fail(f"not a mask where the map lies: {made}")
    if values_of(desk, "e-water.tif") != grid_of(desk.folder / "text-water.asc")[1]:
        fail("the GeoTIFF gives another mask")
    desk.must_be_same("e-water.csv", "text-water.csv", "the table of a GeoTIFF")


def check_scaled(desk):
    """Whole numbers with scale, offset and no data; levels."""
    heights = [[30, 10, 50, 20], [20, 20, 90, 10], [-9999, 40, 10, 10]]
    write_grid(desk, "n.asc", heights)
    translate(desk, "n.asc", "n.tif", "-ot", "Int16", "-a_nodata", "-9999", "-a_scale", "0.5", "-a_offset", "100")
    scaled = [[NAN if h == -9999 else 100 + h / 2 for h in row] for row in heights]
    levels = [106, 110.5, 116, 121]
    desk.passes("n.tif", "--cell", "1,2", "--levels", "106,110.5,116,121", "--strip", 1)
    if values_of(desk, "n-levels.tif") != lowest_levels(scaled, [(0, 1)], levels, 4):
        fail("not the levels of scaled heights")
    check_table(desk.rows("n-water.csv"), scaled, [(0, 1)], levels, 4, lambda row: 4)
    desk.passes("n.tif", "--sea", "--level", "116", "--neighbours", "8")
    edge = [(r, c) for r in range(3) for c in range(4) if r != 1 or c in (0, 3)]
    # What GDAL writes as text has no data as -9999, or as the file's own number.
    if values_of(desk, "n-water.tif") != mask_of(scaled, edge, 116, 8):
        fail("not the water of scaled heights")


def check_degrees(desk):
    write_grid(desk, "d.asc", [[1, 2], [3, 9]], "xllcorner 10\nyllcorner 49\ncellsize 0.5\n")
    translate(desk, "d.asc", "d.tif", "-a_srs", "EPSG:4326")
    words = ("--source", "10.1,49.9", "--level", "5")
    desk.passes("d.tif", *words, "--output", "read")
    desk.passes("d.asc", *words, "--degrees", "--output", "told")
    desk.must_be_same("read-water.csv", "told-water.csv", "degrees by the reference system of a GeoTIFF")


def check_refusals(desk):
    source = ("--cell", "1,1", "--level", "5")
    desk.write("cut.tif", desk.bytes_of("e.tif")[:3000])
    desk.refuses(1, "cut.tif", "cut.tif", *source)
    desk.write("text.txt", "no map\n")
    desk.refuses(1, "text.txt is no ESRI ASCII grid, no PGM picture, and nothing that GDAL reads", "text.txt", *source)
    turned = "<VRTDataset rasterXSize='4' rasterYSize='3'><GeoTransform>0, 1, 0.5, 0, 0.5, -1</GeoTransform>"
    turned += "<VRTRasterBand dataType='Float32' band='1'/></VRTDataset>"
    desk.write("turned.vrt", turned)
    desk.refuses(1, "turned.vrt: its rows do not run along the x axis", "turned.vrt", *source)
    desk.refuses(1, "missing/x-water.tif cannot be written", "n.tif", *source, "--output", "missing/x")
    desk.refuses(1, "n-water.tif would replace a file that was read", "n-water.tif", *source, "--output", "n")
    # A name that GDAL would take for a command to read another file.
    desk.write("GTIFF_DIR:1:e.tif", "no map\n")
    desk.refuses(1, "nothing that GDAL reads", "GTIFF_DIR:1:e.tif", *source)
    # Mosaics are read, unless somebody wants none.
    mosaic = "<VRTDataset rasterXSize='4' rasterYSize='3'><VRTRasterBand dataType='Float32' band='1'><SimpleSource>"
    mosaic += "<SourceFilename relativeToVRT='1'>d.tif</SourceFilename></SimpleSource></VRTRasterBand></VRTDataset>"
    desk.write("mosaic.vrt", mosaic)
    desk.passes("mosaic.vrt", *source)
    desk.environment["GDAL_SKIP"] = "VRT,WMS"
    desk.refuses(1, "nothing that GDAL reads", "mosaic.vrt", *source)
    del desk.environment["GDAL_SKIP"]


def check_reference_systems(desk):
    """A reference system that GeoTIFF cannot hold is not lost without a word, and no second file is left."""
    pole = ('GEOGCRS["rotated",BASEGEOGCRS["WGS 84",DATUM["World Geodetic System 1984",ELLIPSOID["WGS 84",6378137,'
            '298.257223563]]],DERIVINGCONVERSION["pole",METHOD["PROJ ob_tran o_proj=longlat"],PARAMETER["o_lat_p",40],'
            'PARAMETER["o_lon_p",0],PARAMETER["lon_0",10]],CS[ellipsoidal,2],AXIS["lat",north],AXIS["lon",east],'
            'ANGLEUNIT["degree",0.0174532925199433]]')  # fmt: skip
    words = ("--cell", "1,1", "--level", "5")
    before = desk.files()
    translate(desk, "-of", "VRT", "d.asc", "pole.vrt", "-a_srs", pole)
    desk.refuses(1, "GeoTIFF cannot hold its reference system: gdalwarp -t_srs", "pole.vrt", *words)
    if desk.files() - before != {"pole.vrt"}:
        fail(f"files are left: {desk.files() - before}")
    units = {"EPSG:4326": "m", "EPSG:27700": "m", "EPSG:2263": "US survey foot", "EPSG:25832+7837": "m",
             "EPSG:4326+5773": "m", "ESRI:54009": "m", "+proj=laea +lat_0=47 +lon_0=11 +ellps=bessel +units=ft": "foot"}
    for number, (name, unit) in enumerate(units.items()):
        translate(desk, "d.asc", f"r{number}.tif", "-a_srs", name)
        desk.passes(f"r{number}.tif", *words)
        made, read = info_of(desk, f"r{number}-water.tif"), info_of(desk, f"r{number}.tif")
        if made["coordinateSystem"] != read["coordinateSystem"]:
            fail(f"{name} became {made['coordinateSystem']}")
        if desk.rows(f"r{number}-water.csv")[0]["unit_of_length"] != unit:
            fail(f"{name}: {desk.rows(f'r{number}-water.csv')}")


def main():
    if not shutil.which("gdal_translate") or not shutil.which("pkg-config") or subprocess.run(
        ["pkg-config", "--exists", "gdal"], check=False).returncode:  # fmt: skip
        print("GDAL is missing: apt-get install libgdal-dev gdal-bin pkg-config")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as name:
        desk = Desk(pathlib.Path(name), FOLDER, "flood")
        check_example(desk)
        check_scaled(desk)
        check_degrees(desk)
        check_refusals(desk)
        check_reference_systems(desk)


if __name__ == "__main__":
    main()
