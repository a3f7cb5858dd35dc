// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// The worker in which the simulator runs (web/src/browser_simulation.ts talks to it). It stands behind emscripten's own
// script in stickslip.js: makeSimulator() is that script's.
//
// In: {start: {module, files: [[path, bytes]], scene, values}}, then {id, command} or {id, ask: "scene" or "state"}.
// Out: {setting} and {frame}, texts as stickslip live sends them; {id, answer}; {failed}, the reason why nothing runs.
{
  const PART = 1 << 16; // of a file, handed over at once
  let call;
  let timer = 0;
  // A turn that has more to do is followed by the next one at once; messages come in between.
  const channel = new MessageChannel();
  channel.port1.onmessage = () => turn();

  const turn = () => {
    clearTimeout(timer);
    const pause = call("stickslip_turn", "number");
    if (pause === 0) channel.port2.postMessage(null);
    else if (pause > 0) timer = setTimeout(turn, pause);
  };

  const start = async ({ module, files, scene, values }) => {
    const simulator = await makeSimulator({
      publish: (kind, text) => self.postMessage({ [kind]: text }),
      instantiateWasm: (imports, ready) => {
        WebAssembly.instantiate(module, imports).then(ready, (error) => self.postMessage({ failed: String(error) }));
        return {};
      },
    });
    call = (name, returns, types = [], values = []) => simulator.ccall(name, returns, types, values);
    for (const [path, bytes] of files)
      for (let at = 0; at === 0 || at < bytes.length; at += PART) {
        const part = bytes.subarray(at, at + PART);
        call("stickslip_file", null, ["string", "array", "number"], [path, part, part.length]);
      }
    const wrong = call("stickslip_open", "string", ["string", "string"], [scene, JSON.stringify(values)]);
    if (wrong) self.postMessage({ failed: wrong });
    else turn();
  };

  // Whatever else goes wrong: what the simulator says, or the browser (out of memory).
  const guarded = (work) => {
    const tell = (error) => self.postMessage({ failed: error instanceof Error ? error.message : "the simulator ended" });
    try {
      work()?.catch(tell);
    } catch (error) {
      tell(error);
    }
  };

  self.onmessage = ({ data }) =>
    guarded(() => {
      if (data.start) return start(data.start);
      if (data.command) {
        self.postMessage({ id: data.id, answer: call("stickslip_command", "string", ["string"], [data.command]) });
        turn();
      } else {
        turn(); // commands that came before
        self.postMessage({ id: data.id, answer: call(`stickslip_${data.ask}`, "string") });
      }
    });
}
