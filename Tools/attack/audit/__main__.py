"""Every attack that once succeeded, again, against the release. Everything on loopback.

usage: audit VITRINE [NAME…]

Each check starts a service of its own, attacks it, and says in one sentence what happened. The exit status is 1 if
any attack succeeds, or if service and children together take more than memory.budget. NAME runs only the checks whose name contains it.
"""
import importlib
import sys
import time

from service import Service

AREAS = [
    "pictures", "memory", "sandbox", "clients", "stored", "storms", "runs", "catalogs", "apis", "settings",
    "descriptors", "fronts", "damage", "hits", "streams",
    "offers"]


def checks():
    for area in AREAS:
        module = importlib.import_module(area)
        for name, check in vars(module).items():
            if name.startswith("check_"):
                yield f"{area}.{name.removeprefix('check_')}", check, getattr(module, "COLD_RESTARTS", False)


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    program, names = sys.argv[1], sys.argv[2:]
    failed = 0
    for name, check, is_cold in checks():
        if names and not any(one in name for one in names):
            continue
        began = time.time()
        service = None
        try:
            service = Service(program)
            service.is_cold = is_cold
            # A check returns what it saw, or raises what went wrong.
            holds, sentence = check(service) or (True, (check.__doc__ or "as it should be").strip().split("\n")[0])
            if holds is not None and not service.is_alive():
                holds, sentence = False, f"the service died; {sentence}"
            service.stop()
            if holds and service.excess > 0:
                holds, sentence = False, f"{service.excess} MiB more than memory.budget, service and children; {sentence}"
        except Exception as error:
            holds, sentence = False, f"{type(error).__name__}: {error}"
        finally:
            if service:
                service.close()
        failed += holds is False
        word = {True: "pass", False: "FAIL", None: "skip"}[holds]
        used = "" if service is None else f"; {service.most[0]} of {service.most[1]} MiB"
        print(f"{word} {name}: {sentence} ({time.time() - began:.1f} s{used})", flush=True)
    sys.exit(1 if failed else 0)


main()
