"""Damage for files: single bits turned over, drawn by a seed."""


def flip(chance, path):
    """Turn one bit of a file over; which one, for messages.

    Every second time it is one of a byte that isn't zero: in small databases most are zero, and
    mean nothing.
    """
    data = bytearray(path.read_bytes())
    places = range(len(data))
    if chance.random() < 0.5:
        places = [at for at in places if data[at]]
    at, bit = chance.choice(places), chance.randrange(8)
    data[at] ^= 1 << bit
    path.write_bytes(data)
    return f"{path.name}: bit {bit} of byte {at}"
