"""The addresses of this machine, for programs that listen on all of them and say where they are."""

import contextlib
import fcntl
import ipaddress
import socket
import struct
from pathlib import Path

WILDCARDS = frozenset({"0.0.0.0", "::", ""})  # noqa: S104 - compared, not listened on
"""The addresses that stand for all addresses of a machine."""
MAX_SHOWN = 4
"""Number of addresses that are shown."""
_SIOCGIFADDR = 0x8915
"""The request of Linux for an interface's IPv4 address (netdevice(7))."""
_INET6 = Path("/proc/net/if_inet6")


def own_addresses(host: str) -> list[str]:
    """Return the addresses under which others reach a port that listens on a host.

    Args:
        host: `0.0.0.0` or `::`; of the latter also the IPv4 addresses.

    Returns:
        The first `MAX_SHOWN` addresses, without loopback and link-local ones; none if they can't
        be found out.
    """
    found = _of_interfaces()
    if host == "::":
        found += _of_version_6()
    usable = [
        address
        for address in dict.fromkeys(found)
        if not (parsed := ipaddress.ip_address(address)).is_loopback and not parsed.is_link_local
    ]
    return usable[:MAX_SHOWN]


def _of_interfaces() -> list[str]:
    """Return the IPv4 address of each interface."""
    found = []
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asking:
        for _, name in socket.if_nameindex():
            request = struct.pack("256s", name.encode()[:15])
            with contextlib.suppress(OSError):  # it has none, or this isn't Linux
                answer = fcntl.ioctl(asking, _SIOCGIFADDR, request)
                found.append(socket.inet_ntoa(answer[20:24]))
    return found


def _of_version_6() -> list[str]:
    """Return the IPv6 addresses of all interfaces."""
    with contextlib.suppress(OSError):
        lines = _INET6.read_text(encoding="ascii").splitlines()
        return [str(ipaddress.IPv6Address(int(line.split(" ")[0], 16))) for line in lines]
    return []


def with_port(host: str, port: int) -> str:
    """Return an address with a port, as `10.0.0.7:7777` or `[::1]:7777`."""
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def listening_text(host: str, port: int) -> str:
    """Return where somebody listens, for people; of all addresses those that help others."""
    addresses = own_addresses(host) if host in WILDCARDS else []
    if not addresses:
        return with_port(host, port)
    return "all addresses: " + ", ".join(with_port(address, port) for address in addresses)
