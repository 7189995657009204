// Owns the frame of every dialog: title, close button, focus trap, focus back to the opener. Built from the kit's parts
// because its ready-made header is a second banner landmark.
import { CloseButton, Group, Modal } from '@mantine/core'
import type { ReactNode } from 'react'
import { t } from '../lib/strings.ts'
import { useDialogLayer } from './use-dialog-layer.ts'
import { useReturnedFocus } from './use-returned-focus.ts'

/** A modal dialog; Escape and the close button call `onClose`. */
export function Dialog(props: {
  opened: boolean
  onClose: () => void
  title: string
  children: ReactNode
  size?: string | number
  /** False keeps the dialog when the pointer is pressed beside it: for dialogs that hold typed text. */
  closeOnClickOutside?: boolean
}) {
  useReturnedFocus(props.opened)
  const zIndex = useDialogLayer(props.opened)
  return (
    <Modal.Root
      opened={props.opened}
      onClose={props.onClose}
      size={props.size ?? 'md'}
      closeOnClickOutside={props.closeOnClickOutside ?? true}
      transitionProps={{ duration: 0 }}
      returnFocus={false}
      zIndex={zIndex}
    >
      <Modal.Overlay backgroundOpacity={0.4} />
      <Modal.Content>
        <Group justify="space-between" wrap="nowrap" align="flex-start" px="md" pt="md">
          <Modal.Title fz={18} fw={600}>
            {props.title}
          </Modal.Title>
          <CloseButton aria-label={t('app.close')} onClick={props.onClose} />
        </Group>
        <Modal.Body px="md" pb="md" pt="sm">
          {props.children}
        </Modal.Body>
      </Modal.Content>
    </Modal.Root>
  )
}
