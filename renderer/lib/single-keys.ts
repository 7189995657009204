// Owns the choice whether shortcuts of a single character are on (WCAG 2.1.4), kept by this browser.
import { create } from 'zustand'
import { readStored, writeStored } from './storage.ts'

const useStore = create<{ isOn: boolean }>(() => ({ isOn: readStored('single-keys') !== 'off' }))

/** Whether they are on. */
export function useSingleKeys(): boolean {
  return useStore((state) => state.isOn)
}

/** Whether they are on, for code outside components. */
export function hasSingleKeys(): boolean {
  return useStore.getState().isOn
}

/** Turns them on or off and remembers it. */
export function setSingleKeys(on: boolean): void {
  writeStored('single-keys', on ? undefined : 'off')
  useStore.setState({ isOn: on })
}
