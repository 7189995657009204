// Owns the list of what can be undone: each step knows how to take itself back and how to do it again.
// Kept in memory for the page; knows no record and no request.
import { create } from 'zustand'

const maxSteps = 200

/** One step. `undo` and `redo` reject when they cannot be done; the step then stays where it is. */
export interface UndoStep {
  label: string
  undo(): Promise<void>
  redo(): Promise<void>
}

interface UndoState {
  done: readonly UndoStep[]
  undone: readonly UndoStep[]
  busy: boolean
}

const useStore = create<UndoState>(() => ({ done: [], undone: [], busy: false }))

/** Adds a step that has just been done; steps that were undone before can no longer be done again. */
export function pushUndo(step: UndoStep): void {
  useStore.setState((state) => ({ done: [...state.done, step].slice(-maxSteps), undone: [] }))
}

/** Forgets a step, because it was taken back in another way. */
export function dropUndo(step: UndoStep): void {
  useStore.setState((state) => ({
    done: state.done.filter((other) => other !== step),
    undone: state.undone.filter((other) => other !== step),
  }))
}

/** Takes the last step back and answers it; undefined when there is none or another one is under way. */
export async function undoLast(): Promise<UndoStep | undefined> {
  const { done, busy } = useStore.getState()
  const step = done.at(-1)
  if (!step || busy) return undefined
  useStore.setState({ busy: true })
  try {
    await step.undo()
    useStore.setState((state) => ({
      done: state.done.filter((other) => other !== step),
      undone: [...state.undone, step],
    }))
    return step
  } finally {
    useStore.setState({ busy: false })
  }
}

/** Does the step that was undone last again and answers it; undefined when there is none or one is under way. */
export async function redoLast(): Promise<UndoStep | undefined> {
  const { undone, busy } = useStore.getState()
  const step = undone.at(-1)
  if (!step || busy) return undefined
  useStore.setState({ busy: true })
  try {
    await step.redo()
    useStore.setState((state) => ({
      undone: state.undone.filter((other) => other !== step),
      done: [...state.done, step],
    }))
    return step
  } finally {
    useStore.setState({ busy: false })
  }
}

/** What can be undone and done again, for buttons. */
export function useUndoLabels(): { undo: string | undefined; redo: string | undefined } {
  const undo = useStore((state) => state.done.at(-1)?.label)
  const redo = useStore((state) => state.undone.at(-1)?.label)
  return { undo, redo }
}
