// Owns the question before an object and all its records are deleted: its name has to be typed.
import { Button, Group, Text, TextInput } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { SyntheticEvent } from 'react'
import { Dialog } from '../../components/dialog.tsx'
import { Notice } from '../../components/notice.tsx'
import { problemText } from '../../lib/problem-text.ts'
import { t, tn } from '../../lib/strings.ts'
import { deleteObject } from './delete-object.ts'
import { objectPluralLabel } from './object-item.ts'
import type { ObjectItem } from './object-item.ts'
import { recordCountQuery } from './object-queries.ts'

/** The dialog. */
export function DeleteObjectDialog(props: {
  object: ObjectItem
  opened: boolean
  onClose: () => void
  onDeleted: () => void
}) {
  const { object } = props
  const label = objectPluralLabel(object)
  return (
    <Dialog opened={props.opened} onClose={props.onClose} title={t('delete.title', { object: label })}>
      {props.opened && <Body {...props} />}
    </Dialog>
  )
}

function Body(props: { object: ObjectItem; onClose: () => void; onDeleted: () => void }) {
  const { object } = props
  const client = useQueryClient()
  const { data: count } = useQuery(recordCountQuery(object.name))
  const [typed, setTyped] = useState('')
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<string>()

  const submit = async (event: SyntheticEvent): Promise<void> => {
    event.preventDefault()
    if (typed.trim() !== object.name) return
    setBusy(true)
    try {
      await deleteObject(client, object.name)
      props.onDeleted()
    } catch (error) {
      setProblem(problemText(error))
      setBusy(false)
    }
  }

  return (
    <form onSubmit={(event) => void submit(event)}>
      {problem && (
        <Notice tone="bad" live>
          {problem}
        </Notice>
      )}
      <Text size="sm" mb="md">
        {tn('delete.lead', count ?? 0)}
      </Text>
      <TextInput
        label={t('delete.type', { name: object.name })}
        value={typed}
        autoComplete="off"
        spellCheck={false}
        data-autofocus
        onChange={(event) => setTyped(event.currentTarget.value)}
      />
      <Group justify="flex-end" mt="md">
        <Button variant="default" onClick={props.onClose}>
          {t('app.cancel')}
        </Button>
        <Button type="submit" color="red" loading={busy} disabled={typed.trim() !== object.name}>
          {t('object.delete')}
        </Button>
      </Group>
    </form>
  )
}
