"""A Wi-Fi of the machine's own where no known network is found, through NetworkManager's `nmcli`.

`python -m pochboard.wifi` is a service of its own, because the daemon, which phones talk to, must
not be able to change the network. The daemon only reads the state that this service writes.
"""
