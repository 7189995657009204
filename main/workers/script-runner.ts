// Entry of the process that runs scripts, one after the other; the host kills it when one takes too long.
import { endWithParent } from './end-with-parent.ts'
import { engineModule, runScript } from './script-sandbox.ts'
import { scriptLimits } from '#main/kernel/script-messages.ts'
import type { ScriptReply, ScriptRequest } from '#main/kernel/script-messages.ts'

if (process.send === undefined) {
  process.stderr.write('The script process is started by the host only.\n')
  process.exit(1)
}

const reply = (message: ScriptReply): void => {
  process.send?.(message)
}
/** Calls the host works on. */
const waiting = new Map<number, { resolve: (text: string) => void; reject: (error: Error) => void }>()
/** Sends the calls that wait for their turn, in order; dropped with the run. */
let queue: (() => void)[] = []
let calls = 0

process.on('disconnect', () => process.exit(0))
endWithParent()

process.on('message', (message) => {
  const request = message as ScriptRequest
  if (request.kind === 'answer') {
    const found = waiting.get(request.call)
    waiting.delete(request.call)
    if (request.ok) found?.resolve(request.text)
    else found?.reject(new Error(request.text))
    if (found !== undefined) queue.shift()?.()
    return
  }
  void run(request)
})

// The time of a script begins when there is something that can run it. A failure shows in the first run.
void engineModule()
  .catch(() => undefined)
  .then(() => reply({ kind: 'ready' }))

async function run({ id, source, input }: ScriptRequest & { kind: 'run' }): Promise<void> {
  try {
    const { outcome, logs } = await runScript(source, input, (method, args) => {
      const call = ++calls
      return new Promise((resolve, reject) => {
        const send = (): void => {
          waiting.set(call, { resolve, reject })
          reply({ kind: 'call', id, call, method, args })
        }
        if (waiting.size < scriptLimits.callsAtOnce) send()
        else queue.push(send)
      })
    })
    reply({ kind: 'end', id, outcome, logs })
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    reply({ kind: 'end', id, outcome: { reason: 'error', message }, logs: [] })
  } finally {
    waiting.clear()
    queue = []
  }
}
