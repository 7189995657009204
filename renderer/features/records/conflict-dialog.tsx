// Owns the choice when a value was changed elsewhere while it was being edited: before, theirs, yours, side by side.
import { Button, Group, Text } from '@mantine/core'
import { Dialog } from '../../components/dialog.tsx'
import { fieldLabel, fieldTypeOf } from '../../fields/index.ts'
import type { FieldContext, FieldDefinition } from '../../fields/index.ts'
import { t } from '../../lib/strings.ts'
import type { Conflict, Decision } from './record-writes.ts'
import classes from './records.module.css'

/** A conflict that waits for an answer. */
export interface OpenConflict extends Conflict {
  answer(decision: Decision): void
}

/** The dialog; closing it keeps the typed text in its cell. */
export function ConflictDialog(props: {
  conflict: OpenConflict | undefined
  fields: readonly FieldDefinition[]
  context: FieldContext
}) {
  const { conflict } = props
  const field = props.fields.find((candidate) => candidate.name === conflict?.field)
  const show = (value: unknown): string => {
    const text = field ? fieldTypeOf(field).format(value, field, props.context) : String(value ?? '')
    return text === '' ? t('word.emptySmall') : text
  }
  return (
    <Dialog
      opened={conflict !== undefined}
      onClose={() => conflict?.answer('later')}
      title={t('conflict.title')}
      closeOnClickOutside={false}
    >
      {conflict && field && (
        <>
          <Text size="sm">{t('conflict.lead', { field: fieldLabel(field) })}</Text>
          <dl className={classes.conflict}>
            <dt>{t('word.before')}</dt>
            <dd>{show(conflict.base)}</dd>
            <dt>{t('conflict.theirs')}</dt>
            <dd>{show(conflict.theirs)}</dd>
            <dt>{t('conflict.mine')}</dt>
            <dd>{show(conflict.mine)}</dd>
          </dl>
          <Group justify="flex-end">
            <Button variant="default" onClick={() => conflict.answer('later')}>
              {t('conflict.later')}
            </Button>
            <Button variant="default" onClick={() => conflict.answer('theirs')}>
              {t('conflict.takeTheirs')}
            </Button>
            <Button data-autofocus onClick={() => conflict.answer('mine')}>
              {t('conflict.keepMine')}
            </Button>
          </Group>
        </>
      )}
    </Dialog>
  )
}
