"""What is claimed of the packages, and whether it holds."""

failed = 0


def claim(text, holds, seen=""):
    global failed
    failed += not holds
    print(f"{'pass' if holds else 'FAIL'} {text}{'' if holds else f' ({seen})'}", flush=True)
