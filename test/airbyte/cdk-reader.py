# The same as reader.ts, by Airbyte's own CDK: a line with what to read comes in, a line with what came goes out.
import json, logging, os, resource, sys, time

logging.disable(logging.CRITICAL)
port, manifest_file, settings_file = int(sys.argv[1]), sys.argv[2], sys.argv[3]

import requests

real_send = requests.adapters.HTTPAdapter.send


def send_to_simulator(self, request, **options):
    meant = request.url
    request.headers["x-meant-for"] = meant
    request.url = f"http://127.0.0.1:{port}/"
    options["verify"] = False
    options["proxies"] = {}
    try:
        answer = real_send(self, request, **options)
    finally:
        request.url = meant
    answer.url = meant
    return answer


requests.adapters.HTTPAdapter.send = send_to_simulator

# Waits are over at once: the simulated API does not mind. Threads still have to take turns.
real_sleep = time.sleep
time.sleep = lambda seconds: real_sleep(min(seconds, 0.001))

import yaml
from airbyte_cdk.models import (
    AirbyteStateBlob,
    AirbyteStateMessage,
    AirbyteStateType,
    AirbyteStream,
    AirbyteStreamState,
    ConfiguredAirbyteCatalog,
    ConfiguredAirbyteStream,
    DestinationSyncMode,
    StreamDescriptor,
    SyncMode,
    TraceType,
    Type,
)
from airbyte_cdk.sources.declarative.concurrent_declarative_source import ConcurrentDeclarativeSource

with open(manifest_file) as file:
    manifest = yaml.safe_load(file)
# One request after the other, as ours are, so that both can be compared.
manifest.pop("concurrency_level", None)
with open(settings_file) as file:
    settings = json.load(file)


def resolved(part):
    """A stream of the manifest that is written as a reference to where it is."""
    reference = part.get("$ref") if isinstance(part, dict) else part
    if not isinstance(reference, str):
        return part
    found = manifest
    for step in reference.removeprefix("#/").split("/"):
        found = found[step]
    return {**resolved(found), **(part if isinstance(part, dict) else {})}


def manifest_for(name):
    """The CDK makes all streams before it reads one, so those are left out that may need code which is not there."""
    named = lambda part: part.get("name") or part.get("$parameters", {}).get("name")
    own = [part for part in manifest.get("streams", []) if named(resolved(part)) == name]
    rest = {member: value for member, value in manifest.items() if member not in ("streams", "dynamic_streams")}
    return {**rest, "streams": own} if own else manifest


out = os.fdopen(os.dup(1), "w")
sys.stdout = sys.stderr = open(os.devnull, "w")


def read_once(name, state, is_incremental):
    result = {"records": [], "state": None}
    both = [SyncMode.full_refresh, SyncMode.incremental]
    stream = AirbyteStream(name=name, json_schema={}, supported_sync_modes=both)
    mode = SyncMode.incremental if is_incremental else SyncMode.full_refresh
    configured = ConfiguredAirbyteStream(stream=stream, sync_mode=mode, destination_sync_mode=DestinationSyncMode.append)
    catalog = ConfiguredAirbyteCatalog(streams=[configured])
    messages = []
    if state:
        of = AirbyteStreamState(stream_descriptor=StreamDescriptor(name=name), stream_state=AirbyteStateBlob(state))
        messages.append(AirbyteStateMessage(type=AirbyteStateType.STREAM, stream=of))
    config = json.loads(json.dumps(settings))
    source = ConcurrentDeclarativeSource(catalog=catalog, config=config, state=messages, source_config=json.loads(json.dumps(manifest_for(name), default=str)))
    for message in source.read(logging.getLogger("none"), getattr(source, "_config", None) or config, catalog, messages):
        if message.type == Type.RECORD and message.record.stream == name:
            result["records"].append(message.record.data)
        elif message.type == Type.STATE:
            blob = message.state.stream.stream_state
            result["state"] = blob.__dict__ if blob is not None else None
        elif message.type == Type.TRACE and message.trace.type == TraceType.ERROR:
            result["error"] = f"{message.trace.error.message or ''} | {(message.trace.error.internal_message or '')[:300]}"
    return result


def answer(command):
    started = time.monotonic()
    try:
        result = read_once(command["stream"], command.get("state"), command.get("incremental", False))
    except Exception as error:
        result = {"records": [], "state": None, "error": repr(error)[:400]}
    result["seconds"] = time.monotonic() - started
    result["megabytes"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    out.write(json.dumps(result, default=str) + "\n")
    out.flush()


# Each read in a process of its own, as Airbyte does it: answers that the CDK keeps must not outlive it.
for line in iter(sys.stdin.readline, ""):
    child = os.fork()
    if child == 0:
        answer(json.loads(line))
        os._exit(0)
    os.waitpid(child, 0)
