// Gives a forked Node process what a utility process has: `process.parentPort` instead of a channel on `process`.
const { send } = process
if (!send) throw new Error('the shim needs a forked process')
const post = send.bind(process)
const emit = process.emit.bind(process) as (name: string, ...values: unknown[]) => boolean

type Listener = (event: { data: unknown }) => void

let listener: Listener | undefined
const early: unknown[] = []
let delivering = false

function deliver(data: unknown): void {
  if (!listener) {
    early.push(data) // as in the real port, messages wait for the first listener
    return
  }
  delivering = true
  try {
    listener({ data })
  } finally {
    delivering = false
  }
}

Object.assign(process, {
  send: undefined,
  // What arrives on Node's channel goes to the port; only what the port's listener passes on is a message of `process`.
  emit: (name: string, ...values: unknown[]) => {
    if (name !== 'message' || delivering) return emit(name, ...values)
    deliver(values[0])
    return true
  },
  parentPort: {
    postMessage: (message: unknown) => {
      post(message)
    },
    on: (_name: 'message', added: Listener) => {
      listener = added
      for (const data of early.splice(0)) deliver(data)
    },
  },
})
