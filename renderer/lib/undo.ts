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
}

const useStore = create<UndoState>(() => ({ done: [], undone: [] }))

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

const unanswered = new Set<Promise<unknown>>()

/**
 * Announces a change whose answer is still awaited: undoing waits for it, because for the person it is done already.
 * Answers the same promise.
 */
export function awaitForUndo<T>(change: Promise<T>): Promise<T> {
  unanswered.add(change)
  const forget = (): void => {
    unanswered.delete(change)
  }
  change.then(forget, forget)
  return change
}

let running: Promise<unknown> = Promise.resolve()

/** One after the other: a key pressed twice in a row means two steps. */
async function inTurn<T>(work: () => Promise<T>): Promise<T> {
  const turn = running.then(work, work)
  running = turn
  return turn
}

/** Takes the last step back and answers it; undefined when there is none. */
export async function undoLast(): Promise<UndoStep | undefined> {
  return inTurn(async () => {
    await Promise.allSettled(unanswered)
    const step = useStore.getState().done.at(-1)
    if (!step) return undefined
    await step.undo()
    useStore.setState((state) => ({
      done: state.done.filter((other) => other !== step),
      undone: [...state.undone, step],
    }))
    return step
  })
}

/** Does the step that was undone last again and answers it; undefined when there is none. */
export async function redoLast(): Promise<UndoStep | undefined> {
  return inTurn(async () => {
    const step = useStore.getState().undone.at(-1)
    if (!step) return undefined
    await step.redo()
    useStore.setState((state) => ({
      undone: state.undone.filter((other) => other !== step),
      done: [...state.done, step],
    }))
    return step
  })
}

/** What can be undone and done again, for buttons. */
export function useUndoLabels(): { undo: string | undefined; redo: string | undefined } {
  const undo = useStore((state) => state.done.at(-1)?.label)
  const redo = useStore((state) => state.undone.at(-1)?.label)
  return { undo, redo }
}
