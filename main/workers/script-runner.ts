// Entry of the process that runs scripts, one after the other; the host kills it when one takes too long.
import { endWithParent } from './end-with-parent.ts'
import { runScript } from './script-sandbox.ts'
import type { ScriptReply, ScriptRequest } from '#main/kernel/script-messages.ts'

if (process.send === undefined) {
  process.stderr.write('The script process is started by the host only.\n')
  process.exit(1)
}

const reply = (message: ScriptReply): void => {
  process.send?.(message)
}
const waiting = new Map<number, { resolve: (text: string) => void; reject: (error: Error) => void }>()
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
    return
  }
  void run(request)
})

async function run({ id, source, input }: ScriptRequest & { kind: 'run' }): Promise<void> {
  try {
    const { outcome, logs } = await runScript(source, input, (method, args) => {
      const call = ++calls
      return new Promise((resolve, reject) => {
        waiting.set(call, { resolve, reject })
        reply({ kind: 'call', id, call, method, args })
      })
    })
    reply({ kind: 'end', id, outcome, logs })
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    reply({ kind: 'end', id, outcome: { reason: 'error', message }, logs: [] })
  } finally {
    waiting.clear()
  }
}
