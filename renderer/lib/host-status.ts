// Owns whether the host answers, and whether its disk is full: told by requests, asked again while it is so. Knows no screen.
import { create } from 'zustand'

/** `down` begins with the first request without an answer and ends with the first answer. */
export type HostStatus = 'up' | 'down'

const useStore = create<{ status: HostStatus; isDiskFull: boolean }>(() => ({ status: 'up', isDiskFull: false }))
const probeMs = 2_000

let probing: ReturnType<typeof setInterval> | undefined
let watching: ReturnType<typeof setInterval> | undefined

/** Whether the host answered last time. */
export function useHostStatus(): HostStatus {
  return useStore((state) => state.status)
}

/** Whether the host stores nothing new because its disk is full. */
export function useDiskFull(): boolean {
  return useStore((state) => state.isDiskFull)
}

/** Calls back when the host answers again after a silence. */
export function onHostBack(callback: () => void): () => void {
  return useStore.subscribe((state, previous) => {
    if (state.status === 'up' && previous.status === 'down') callback()
  })
}

/** Tells that a request got an answer, whatever it said. */
export function reportAnswered(): void {
  clearInterval(probing)
  probing = undefined
  if (useStore.getState().status !== 'up') useStore.setState({ status: 'up' })
}

/** Tells that a request got none; `probe` is then called until it answers true. */
export function reportSilent(probe: () => Promise<boolean>): void {
  if (useStore.getState().status !== 'down') useStore.setState({ status: 'down' })
  probing ??= setInterval(() => {
    void probe().then((answers) => {
      if (answers) reportAnswered()
    })
  }, probeMs)
}

/** Tells that the host's disk is full; `probe` is then called until it answers false, undefined when it cannot know. */
export function reportDiskFull(probe: () => Promise<boolean | undefined>): void {
  if (watching !== undefined) return
  useStore.setState({ isDiskFull: true })
  watching = setInterval(() => {
    void probe().then((isFull) => {
      if (isFull !== false) return
      clearInterval(watching)
      watching = undefined
      useStore.setState({ isDiskFull: false })
    })
  }, probeMs)
}
