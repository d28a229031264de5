# Debian's Swift with its S3 API, all servers in one process: objects in memory, accounts and containers in a folder. For tests.
# Arguments: the folder, the port, the ports of the servers behind it, and the key and secret that it shall know.
import os
import sys

import eventlet

eventlet.monkey_patch()

folder, port, key, secret = sys.argv[1], int(sys.argv[2]), sys.argv[4], sys.argv[5]
backends = [int(one) for one in sys.argv[3].split(',')]
user, name = key.split(':')
os.makedirs(os.path.join(folder, 'devices', 'disk'), exist_ok=True)

from swift.common import utils

with open(os.path.join(folder, 'swift.conf'), 'w') as conf:
    conf.write('[swift-hash]\nswift_hash_path_suffix = test\nswift_hash_path_prefix = test\n[storage-policy:0]\nname = one\ndefault = yes\n')
utils.SWIFT_CONF_FILE = os.path.join(folder, 'swift.conf')

from swift.common import storage_policy

storage_policy.reload_storage_policies()

from swift.common.ring import RingBuilder

KINDS = ['account', 'container', 'object']
for at, kind in enumerate(KINDS):
    ring = RingBuilder(1, 1, 0)
    ring.add_dev({'id': 0, 'region': 1, 'zone': 1, 'weight': 1, 'ip': '127.0.0.1', 'port': backends[at], 'device': 'disk', 'meta': ''})
    ring.rebalance()
    ring.get_ring().save(os.path.join(folder, kind + '.ring.gz'))

import logging

from eventlet import wsgi
from swift.account import server as account
from swift.common.wsgi import SwiftHttpProtocol, loadapp
from swift.container import server as container
from swift.obj import mem_server as objects

logging.getLogger().addHandler(logging.NullHandler())
common = {
    'devices': os.path.join(folder, 'devices'),
    'mount_check': 'false',
    'swift_dir': folder,
    'log_name': 'swift',
    'log_address': os.path.join(folder, 'none'),
}


class Quiet:
    def write(self, text):
        pass


for at, app in enumerate([account.AccountController(common), container.ContainerController(common), objects.ObjectController(common)]):
    listener = eventlet.listen(('127.0.0.1', backends[at]))
    eventlet.spawn(wsgi.server, listener, app, Quiet(), protocol=SwiftHttpProtocol, log_output=False)

with open(os.path.join(folder, 'proxy.conf'), 'w') as conf:
    conf.write(
        f'''[DEFAULT]
swift_dir = {folder}
log_address = {folder}/none
[pipeline:main]
pipeline = catch_errors gatekeeper cache listing_formats bulk s3api tempauth slo dlo proxy-server
[app:proxy-server]
use = egg:swift#proxy
account_autocreate = true
[filter:catch_errors]
use = egg:swift#catch_errors
[filter:cache]
use = egg:swift#memcache
memcache_servers = 127.0.0.1:1
[filter:gatekeeper]
use = egg:swift#gatekeeper
[filter:listing_formats]
use = egg:swift#listing_formats
[filter:bulk]
use = egg:swift#bulk
[filter:s3api]
use = egg:swift#s3api
s3_acl = false
[filter:tempauth]
use = egg:swift#tempauth
user_{user}_{name} = {secret} .admin
[filter:slo]
use = egg:swift#slo
[filter:dlo]
use = egg:swift#dlo
'''
    )
app = loadapp(os.path.join(folder, 'proxy.conf'), global_conf={'log_name': 'swift'})
listener = eventlet.listen(('127.0.0.1', port))
print('ready', flush=True)
wsgi.server(listener, app, Quiet(), protocol=SwiftHttpProtocol, log_output=False)
