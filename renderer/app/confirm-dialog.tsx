// Owns the dialog that asks before something that cannot be taken back.
import { Button, Group, Text } from '@mantine/core'
import { useEffect, useState } from 'react'
import { Dialog } from '../components/dialog.tsx'
import { useConfirmation } from '../lib/confirm.ts'
import { t } from '../lib/strings.ts'

/** The dialog of {@link confirmAction}; the focus begins on the safe answer. */
export function ConfirmDialog() {
  const open = useConfirmation()
  const [last, setLast] = useState(open)
  useEffect(() => {
    if (open) setLast(open)
  }, [open])
  const shown = open ?? last
  return (
    <Dialog opened={open !== undefined} onClose={() => open?.answer(false)} title={shown?.title ?? ''}>
      <Text size="sm">{shown?.body}</Text>
      <Group justify="flex-end" mt="md">
        <Button variant="default" data-autofocus onClick={() => open?.answer(false)}>
          {shown?.cancelLabel ?? t('app.cancel')}
        </Button>
        <Button color="red" onClick={() => open?.answer(true)}>
          {shown?.confirmLabel}
        </Button>
      </Group>
    </Dialog>
  )
}
