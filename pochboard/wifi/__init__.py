"""The machine's own Wi-Fi where no known network is found, through NetworkManager's `nmcli`.

`python -m pochboard.wifi` is a separate service, because the daemon, which phones talk to, must not
be able to change the network. The daemon only reads the state that this service writes.
"""
