"""Makes thumbnails with a library of Python and prints what it took, as one JSON object.

usage: peers.py LIBRARY < JOB

JOB is JSON: files; levels with width, height, quality and effort; format; processes. Every level is
made from the file's bytes and encoded to memory.
"""
import hashlib
import json
import os
import resource
import sys
import time

library = sys.argv[1]
job = json.load(sys.stdin)
levels, kind = job["levels"], job["format"]

if library == "pyvips":
    os.environ["VIPS_CONCURRENCY"] = "1"
    import pyvips

    pyvips.cache_set_max(0)
elif library == "pillow":
    import io

    from PIL import Image

    Image.MAX_IMAGE_PIXELS = None
else:
    import cv2
    import numpy

    cv2.setNumThreads(1)


def with_pyvips(data, level):
    colors = {"export_profile": "srgb"} if job["isTagged"] else {}
    picture = pyvips.Image.thumbnail_buffer(data, level["width"], height=level["height"], size="down", **colors)
    if kind == "webp":
        return picture.webpsave_buffer(Q=level["quality"], effort=level["effort"], strip=True)
    return picture.jpegsave_buffer(Q=level["quality"], strip=True)


def with_pillow(data, level):
    picture = Image.open(io.BytesIO(data))
    # By itself it decodes JPEG at a reduced size.
    picture.thumbnail((level["width"], level["height"]), Image.LANCZOS)
    if picture.mode not in ("RGB", "L"):
        picture = picture.convert("RGB")
    output = io.BytesIO()
    if kind == "webp":
        picture.save(output, "WEBP", quality=level["quality"], method=level["effort"])
    else:
        picture.save(output, "JPEG", quality=level["quality"])
    return output.getvalue()


def size_of(data):
    """Width and height of a JPEG; without them OpenCV can't choose a reduced size."""
    at = 2
    while at + 9 < len(data) and data[0] == 0xFF and data[1] == 0xD8:
        marker, length = data[at + 1], int.from_bytes(data[at + 2:at + 4], "big")
        if 0xC0 <= marker <= 0xC2:
            return int.from_bytes(data[at + 7:at + 9], "big"), int.from_bytes(data[at + 5:at + 7], "big")
        at += 2 + length
    return None


def with_opencv(data, level):
    flag, size = cv2.IMREAD_COLOR, size_of(data)
    if size:
        share = min(level["width"] / size[0], level["height"] / size[1], 1)
        for factor, reduced in ((8, cv2.IMREAD_REDUCED_COLOR_8), (4, cv2.IMREAD_REDUCED_COLOR_4), (2, cv2.IMREAD_REDUCED_COLOR_2)):
            if share * factor <= 1:
                flag = reduced
                break
    picture = cv2.imdecode(numpy.frombuffer(data, numpy.uint8), flag)
    height, width = picture.shape[:2]
    full = size or (width, height)
    share = min(level["width"] / full[0], level["height"] / full[1], 1)
    wanted = max(1, round(full[0] * share)), max(1, round(full[1] * share))
    if wanted != (width, height):
        picture = cv2.resize(picture, wanted, interpolation=cv2.INTER_AREA)
    if kind == "webp":
        return cv2.imencode(".webp", picture, [cv2.IMWRITE_WEBP_QUALITY, level["quality"]])[1].tobytes()
    return cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, level["quality"]])[1].tobytes()


make = {"pyvips": with_pyvips, "pillow": with_pillow, "opencv": with_opencv}[library]


def thumbnails(path):
    with open(path, "rb") as file:
        data = file.read()
    return [make(data, level) for level in levels]


def used():
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime, usage.ru_minflt, usage.ru_majflt


def work(files):
    thumbnails(files[0])
    result = {"images": 0, "bytes": 0, "errors": 0, "firstError": None, "hashing": 0.0}
    digest = hashlib.sha256()
    start, before = time.monotonic(), used()
    for path in files:
        try:
            made = thumbnails(path)
        except Exception as error:  # A picture that fails is counted; the others go on.
            result["errors"] += 1
            result["firstError"] = result["firstError"] or f"{path}: {error}"
            continue
        result["images"] += 1
        hashing = time.process_time()
        for one in made:
            result["bytes"] += len(one)
            digest.update(one)
        result["hashing"] += time.process_time() - hashing
    after = used()
    result["wall"] = time.monotonic() - start
    result["processor"] = after[0] - before[0] - result.pop("hashing")
    result["faults"], result["majorFaults"] = after[1] - before[1], after[2] - before[2]
    result["digest"] = digest.hexdigest()
    with open("/proc/self/status") as status:
        peak = next(line for line in status if line.startswith("VmHWM"))
    result["peakMemory"] = int(peak.split()[1]) * 1024
    return result


print(json.dumps(work(job["files"])))
