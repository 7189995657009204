// Owns asking for a confirmation from anywhere: one question at a time, answered by the dialog of the frame.
import { create } from 'zustand'

/** A question before something that cannot be taken back. */
export interface Confirmation {
  title: string
  body: string
  confirmLabel: string
  /** Default: Cancel. */
  cancelLabel?: string
}

interface ConfirmState {
  open: (Confirmation & { answer(yes: boolean): void }) | undefined
}

const useStore = create<ConfirmState>(() => ({ open: undefined }))

/**
 * Asks and resolves to the answer; closing the dialog means no. A question that is still open is answered with no, one
 * whose `needless` fires with yes.
 */
export async function confirmAction(question: Confirmation, needless?: AbortSignal): Promise<boolean> {
  useStore.getState().open?.answer(false)
  return new Promise((resolve) => {
    const answer = (yes: boolean): void => {
      if (useStore.getState().open?.answer === answer) useStore.setState({ open: undefined })
      resolve(yes)
    }
    needless?.addEventListener('abort', () => answer(true), { once: true })
    useStore.setState({ open: { ...question, answer } })
  })
}

/** The open question, for the dialog. */
export function useConfirmation(): ConfirmState['open'] {
  return useStore((state) => state.open)
}
