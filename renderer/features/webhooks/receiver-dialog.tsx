// Owns making and changing a receiver: its address, who may call it, what a call does.
import { Checkbox, NativeSelect, TextInput } from '@mantine/core'
import { useState } from 'react'
import { DialogForm } from '../../components/dialog-form.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { call } from '../../lib/api-client.ts'
import { ApiError } from '../../lib/api-error.ts'
import { problemAt, problemsElsewhere } from '../../lib/field-problems.ts'
import { fieldProblemText } from '../../lib/problem-text.ts'
import { t } from '../../lib/strings.ts'
import { ActionFields } from './action-fields.tsx'
import { NameFields, nameOfLabel } from './name-fields.tsx'
import type { DraftNames } from './name-fields.tsx'
import { receiverDraftOf, receiverInputOf, receiverPatchOf, receiverProblems } from './receiver-draft.ts'
import type { ReceiverDraft } from './receiver-draft.ts'
import { VerificationFields } from './verification-fields.tsx'
import type { Receiver } from './webhook-queries.ts'

interface ReceiverDialogProps {
  /** The one to change; `new` makes one, undefined shows nothing. */
  receiver: Receiver | 'new' | undefined
  onClose: () => void
  onSaved: (saved: Receiver) => void
}

/** What the parts of the form are given. */
export interface ReceiverFormPart {
  draft: ReceiverDraft
  problemOf: (field: string) => string | undefined
  onChange: (draft: ReceiverDraft) => void
}

const shown = [
  'label',
  'name',
  'description',
  'path',
  'verificationParams',
  'action',
  'target',
  'mapping',
  'externalIdField',
] as const

/** The dialog. */
export function ReceiverDialog(props: ReceiverDialogProps) {
  const { receiver } = props
  const title = receiver === 'new' ? t('receivers.new') : t('webhooks.edit.title', { name: receiver?.name ?? '' })
  return (
    <Dialog opened={receiver !== undefined} onClose={props.onClose} title={title} size="lg" closeOnClickOutside={false}>
      {receiver !== undefined && <ReceiverForm {...props} receiver={receiver} />}
    </Dialog>
  )
}

function ReceiverForm(props: ReceiverDialogProps & { receiver: Receiver | 'new' }) {
  const former = props.receiver === 'new' ? undefined : props.receiver
  const [draft, setDraft] = useState(() => receiverDraftOf(former))
  const [refusal, setRefusal] = useState<unknown>()
  const own = receiverProblems(draft)
  const save = async (): Promise<void> => {
    try {
      props.onSaved(
        former
          ? await call('updateReceiver', { params: { name: former.name }, body: receiverPatchOf(draft) })
          : await call('createReceiver', { body: receiverInputOf(draft) }),
      )
    } catch (error) {
      setRefusal(error)
      throw error
    }
  }
  const describe = (error: unknown): string | undefined => {
    if (!(error instanceof ApiError) || error.fieldErrors.length === 0) return undefined
    const [hidden] = problemsElsewhere(error.fieldErrors, shown)
    return hidden ? fieldProblemText(hidden) : t('problem.validation_error')
  }
  return (
    <DialogForm
      submit={t(former ? 'app.save' : 'receivers.create')}
      ready={own.length === 0}
      describe={describe}
      onClose={props.onClose}
      onSubmit={save}
    >
      {(tried) => {
        const problems = [...(tried ? own : []), ...(refusal instanceof ApiError ? refusal.fieldErrors : [])]
        const part: ReceiverFormPart = { draft, problemOf: (field) => problemAt(problems, field), onChange: setDraft }
        return (
          <>
            <TextFields {...part} isNew={former === undefined} />
            <VerificationFields {...part} />
            <ActionFields {...part} />
            <NativeSelect
              label={t('word.answer')}
              value={draft.responseMode}
              data={(['sync', 'async'] as const).map((value) => ({ value, label: t(`receivers.response.${value}`) }))}
              onChange={(event) =>
                setDraft({ ...draft, responseMode: event.currentTarget.value === 'async' ? 'async' : 'sync' })
              }
            />
            <Checkbox
              label={t('webhooks.active')}
              checked={draft.isActive}
              onChange={(event) => setDraft({ ...draft, isActive: event.currentTarget.checked })}
            />
          </>
        )
      }}
    </DialogForm>
  )
}

function TextFields({ draft, problemOf, onChange, isNew }: ReceiverFormPart & { isNew: boolean }) {
  const pathOf = (label: string): string => nameOfLabel(label, 'receiver').replaceAll('_', '-')
  const rename = ({ label = draft.label, ...change }: Partial<DraftNames>): void => {
    const follows = isNew && draft.path === pathOf(draft.label)
    onChange({ ...draft, ...change, label, ...(follows ? { path: pathOf(label) } : {}) })
  }
  return (
    <>
      <NameFields draft={draft} isNew={isNew} fallback="receiver" problemOf={problemOf} onChange={rename} />
      <TextInput
        label={t('receivers.path')}
        description={t('receivers.path.help')}
        value={draft.path}
        error={problemOf('path')}
        autoComplete="off"
        spellCheck={false}
        onChange={(event) => onChange({ ...draft, path: event.currentTarget.value })}
      />
      <TextInput
        label={t('word.description')}
        value={draft.description}
        error={problemOf('description')}
        autoComplete="off"
        onChange={(event) => onChange({ ...draft, description: event.currentTarget.value })}
      />
    </>
  )
}
