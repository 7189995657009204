// Owns whether the host answers: told by every request, asked again while it is silent. Knows no screen.
import { create } from 'zustand'

/** `down` begins with the first request without an answer and ends with the first answer. */
export type HostStatus = 'up' | 'down'

const useStore = create<{ status: HostStatus }>(() => ({ status: 'up' }))
const probeMs = 2_000

let probing: ReturnType<typeof setInterval> | undefined

/** Whether the host answered last time. */
export function useHostStatus(): HostStatus {
  return useStore((state) => state.status)
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
