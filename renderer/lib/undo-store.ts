// Owns keeping steps in the browser's database, so that they outlive the page. Reading and writing never throw: where the
// browser keeps nothing, steps live as long as the page. Knows no kind of step.

const database = 'cairn-undo'
const table = 'steps'

/** One step, as it is kept. `data` is JSON that only its kind understands; `at` is milliseconds of the clock. */
export interface UndoStep {
  id: string
  kind: string
  label: string
  at: number
  data: unknown
}

/** A step as it is stored. */
interface Row {
  id: string
  owner: string
  undone: boolean
  step: UndoStep
}

/** The kept steps of one person. */
export interface UndoStore {
  /** The steps in their orders; empty where nothing is kept. */
  read(): Promise<{ done: UndoStep[]; undone: UndoStep[] }>
  put(step: UndoStep, undone: boolean): void
  remove(steps: readonly UndoStep[]): void
  /** Resolves when all that was asked for is kept: a page that is left then forgets none of it. */
  written(): Promise<unknown>
}

let opening: Promise<IDBDatabase | undefined> | undefined

async function open(): Promise<IDBDatabase | undefined> {
  opening ??= new Promise((resolve) => {
    try {
      const request = indexedDB.open(database, 1)
      request.onupgradeneeded = () =>
        request.result.createObjectStore(table, { keyPath: 'id' }).createIndex('owner', 'owner')
      request.onsuccess = () => resolve(request.result)
      request.onerror = () => resolve(undefined)
      request.onblocked = () => resolve(undefined)
    } catch {
      resolve(undefined) // storage is forbidden here
    }
  })
  return opening
}

/** Writes follow each other: a step that is undone at once must not be stored as done after that. */
let writes: Promise<unknown> = Promise.resolve()

function write(work: (rows: IDBObjectStore) => void): void {
  writes = writes.then(async () => {
    const opened = await open()
    if (!opened) return
    await new Promise<void>((resolve) => {
      try {
        const transaction = opened.transaction(table, 'readwrite')
        transaction.oncomplete = () => resolve()
        transaction.onerror = () => resolve()
        transaction.onabort = () => resolve()
        work(transaction.objectStore(table))
      } catch {
        resolve() // full, or data the browser cannot store: the step lives as long as the page
      }
    })
  })
}

/** The store of a person. */
export function openUndoStore(owner: string): UndoStore {
  return {
    async read() {
      await writes
      const opened = await open()
      if (!opened) return { done: [], undone: [] }
      const rows = await new Promise<Row[]>((resolve) => {
        try {
          const request = opened.transaction(table).objectStore(table).index('owner').getAll(owner)
          request.onsuccess = () => resolve(request.result as Row[])
          request.onerror = () => resolve([])
        } catch {
          resolve([])
        }
      })
      const inOrder = rows.toSorted((a, b) => a.step.at - b.step.at || counterOf(a.step) - counterOf(b.step))
      return {
        done: inOrder.filter(({ undone }) => !undone).map(({ step }) => step),
        undone: inOrder
          .filter(({ undone }) => undone)
          .map(({ step }) => step)
          .toReversed(),
      }
    },
    put(step, undone) {
      write((rows) => rows.put({ id: step.id, owner, undone, step } satisfies Row))
    },
    remove(steps) {
      if (steps.length > 0) write((rows) => steps.forEach(({ id }) => rows.delete(id)))
    },
    written: () => writes,
  }
}

/** Steps of one millisecond are told apart by the counter in their id. */
function counterOf({ id }: UndoStep): number {
  return Number(id.split('-')[1] ?? 0)
}
