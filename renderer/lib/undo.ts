// Owns the list of what can be undone: which steps were done, which were undone, and taking them back one after the other.
// A step is data, so that it outlives the page; how to take it back is known by its kind. Knows no record and no request.
import { create } from 'zustand'
import { openUndoStore } from './undo-store.ts'
import type { UndoStep, UndoStore } from './undo-store.ts'

export type { UndoStep } from './undo-store.ts'

/** Steps that are kept; the oldest are forgotten first. */
const maxSteps = 200

/** What taking a step back, or doing it again, led to. */
export interface UndoResult<Data> {
  /** The data from now on, for example with the versions that were written. Absent: as before. */
  data?: Data
  /** Told instead of the plain message: what the step left as it was. */
  left?: string
}

/** How steps of a kind are taken back and done again; both reject when they cannot, and the step then stays where it is. */
export interface UndoActs<Data> {
  undo(data: Data): Promise<UndoResult<Data> | void>
  /** Absent: once taken back, the step is gone. */
  redo?(data: Data): Promise<UndoResult<Data> | void>
}

/** A step that was taken back or done again, with what it left. */
export interface UndoneStep {
  step: UndoStep
  left: string | undefined
}

/** Thrown for steps whose kind nobody knows. */
export class UnknownStepError extends Error {}

interface UndoState {
  /** In the order they were done. */
  done: readonly UndoStep[]
  /** In the order they were undone: the last one is done again first. */
  undone: readonly UndoStep[]
}

const useList = create<UndoState>(() => ({ done: [], undone: [] }))
const kinds = new Map<string, UndoActs<unknown>>()
let loaders: Readonly<Record<string, () => Promise<unknown>>> = {}
let store: UndoStore | undefined
let counter = 0

/** Adds a kind of step; answers the function that adds a step of it, which has just been done. */
export function defineUndo<Data>(kind: string, acts: UndoActs<Data>): (label: string, data: Data) => UndoStep {
  kinds.set(kind, acts as UndoActs<unknown>)
  return (label, data) => {
    const at = Date.now()
    const step = { id: `${at}-${(counter += 1)}-${Math.random().toString(36).slice(2, 8)}`, kind, label, at, data }
    const { done, undone } = useList.getState()
    const kept = [...done, step].slice(-maxSteps)
    useList.setState({ done: kept, undone: [] })
    store?.put(step, false)
    store?.remove([...undone, ...done.slice(0, done.length + 1 - kept.length)])
    return step
  }
}

/** Tells what to load before steps of an earlier visit can be run, by the part of their kind before the dot. */
export function setUndoLoaders(next: typeof loaders): void {
  loaders = next
}

/** Goes on with the list a person left in this browser; null forgets what is in memory only. */
export async function openUndo(owner: string | null): Promise<void> {
  const opened = owner === null ? undefined : openUndoStore(owner)
  store = opened
  const kept = (await opened?.read()) ?? { done: [], undone: [] }
  if (store !== opened) return
  const { done } = useList.getState()
  const fresh = done.filter((step) => !kept.done.some(({ id }) => id === step.id))
  for (const step of fresh) opened?.put(step, false)
  useList.setState({ done: [...kept.done, ...fresh].slice(-maxSteps), undone: fresh.length > 0 ? [] : kept.undone })
}

/** Forgets a step. */
export function dropUndo({ id }: Pick<UndoStep, 'id'>): void {
  const { done, undone } = useList.getState()
  store?.remove([...done, ...undone].filter((step) => step.id === id))
  useList.setState({ done: done.filter((step) => step.id !== id), undone: undone.filter((step) => step.id !== id) })
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

async function actsOf(step: UndoStep): Promise<UndoActs<unknown>> {
  if (!kinds.has(step.kind)) await loaders[step.kind.split('.')[0] ?? '']?.()
  const acts = kinds.get(step.kind)
  if (acts) return acts
  dropUndo(step)
  throw new UnknownStepError(step.kind)
}

async function takeBack(step: UndoStep): Promise<UndoneStep> {
  const acts = await actsOf(step)
  const result = (await acts.undo(step.data)) ?? {}
  const isLast = useList.getState().done.at(-1)?.id === step.id
  if (acts.redo && isLast) {
    const next = { ...step, ...('data' in result ? { data: result.data } : {}) }
    useList.setState(({ done, undone }) => ({
      done: done.filter(({ id }) => id !== step.id),
      undone: [...undone, next],
    }))
    store?.put(next, true)
  } else dropUndo(step)
  await store?.written()
  return { step, left: result.left }
}

/** Takes the last step back and answers it; undefined when there is none. @throws UnknownStepError */
export async function undoLast(): Promise<UndoneStep | undefined> {
  return inTurn(async () => {
    await Promise.allSettled(unanswered)
    const step = useList.getState().done.at(-1)
    return step && takeBack(step)
  })
}

/**
 * Takes one step back, wherever it stands; undefined when it is not there any more. Only the last step can be done again
 * afterwards: what came later may rest on the others.
 */
export async function undoStep(id: string): Promise<UndoneStep | undefined> {
  return inTurn(async () => {
    const step = useList.getState().done.find((known) => known.id === id)
    return step && takeBack(step)
  })
}

/** Does the step that was undone last again and answers it; undefined when there is none. @throws UnknownStepError */
export async function redoLast(): Promise<UndoneStep | undefined> {
  return inTurn(async () => {
    // A change that is still being stored leaves nothing to do again.
    await Promise.allSettled(unanswered)
    const step = useList.getState().undone.at(-1)
    if (!step) return undefined
    const acts = await actsOf(step)
    const result = (await acts.redo?.(step.data)) ?? {}
    const next = { ...step, ...('data' in result ? { data: result.data } : {}) }
    useList.setState(({ done, undone }) => ({
      undone: undone.filter(({ id }) => id !== step.id),
      done: [...done, next],
    }))
    store?.put(next, false)
    await store?.written()
    return { step: next, left: result.left }
  })
}

/** What can be undone and done again, for buttons. */
export function useUndoLabels(): { undo: string | undefined; redo: string | undefined } {
  const undo = useList((state) => state.done.at(-1)?.label)
  const redo = useList((state) => state.undone.at(-1)?.label)
  return { undo, redo }
}

/** The whole list. */
export function useUndoList(): UndoState {
  return useList()
}
