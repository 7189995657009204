// Owns making and changing a webhook: when it is sent, where to, with what, and how its sender proves who it is.
import { useState } from 'react'
import { DialogForm } from '../../components/dialog-form.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { call } from '../../lib/api-client.ts'
import { problemAt, problemsElsewhere } from '../../lib/field-problems.ts'
import { fieldProblemText } from '../../lib/problem-text.ts'
import { t } from '../../lib/strings.ts'
import { draftOf, draftProblems, inputOf, patchOf, refusalProblems } from './webhook-draft.ts'
import type { WebhookDraft } from './webhook-draft.ts'
import { WebhookFields, shownFields } from './webhook-fields.tsx'
import { WebhookMore, moreFields } from './webhook-more.tsx'
import type { Webhook } from './webhook-queries.ts'

interface WebhookDialogProps {
  /** The one to change; `new` makes one, undefined shows nothing. */
  webhook: Webhook | 'new' | undefined
  onClose: () => void
  onSaved: (saved: Webhook) => void
}

/** The dialog. */
export function WebhookDialog(props: WebhookDialogProps) {
  const { webhook } = props
  const title = webhook === 'new' ? t('webhooks.new') : t('webhooks.edit.title', { name: webhook?.name ?? '' })
  return (
    <Dialog opened={webhook !== undefined} onClose={props.onClose} title={title} size="lg" closeOnClickOutside={false}>
      {webhook !== undefined && <WebhookForm {...props} webhook={webhook} />}
    </Dialog>
  )
}

/** What the parts of the form are given. */
export interface WebhookFormPart {
  draft: WebhookDraft
  isNew: boolean
  problemOf: (field: string) => string | undefined
  onChange: (part: Partial<WebhookDraft>) => void
}

function WebhookForm(props: WebhookDialogProps & { webhook: Webhook | 'new' }) {
  const { webhook } = props
  const former = webhook === 'new' ? undefined : webhook
  const [draft, setDraft] = useState(() => draftOf(former))
  const [refusal, setRefusal] = useState<unknown>()
  const own = draftProblems(draft)
  const save = async (): Promise<void> => {
    try {
      props.onSaved(
        former
          ? await call('updateWebhook', { params: { name: former.name }, body: patchOf(draft) })
          : await call('createWebhook', { body: inputOf(draft) }),
      )
    } catch (error) {
      setRefusal(error)
      throw error
    }
  }
  const describe = (error: unknown): string | undefined => {
    const problems = refusalProblems(error)
    if (problems.length === 0) return undefined
    const [hidden] = problemsElsewhere(problems, [...shownFields, ...moreFields])
    return hidden ? fieldProblemText(hidden) : t('problem.validation_error')
  }
  return (
    <DialogForm
      submit={t(former ? 'app.save' : 'webhooks.create')}
      ready={own.length === 0}
      describe={describe}
      onClose={props.onClose}
      onSubmit={save}
    >
      {(tried) => {
        const problems = [...(tried ? own : []), ...refusalProblems(refusal)]
        const part: WebhookFormPart = {
          draft,
          isNew: former === undefined,
          problemOf: (field) => problemAt(problems, field),
          onChange: (change) => setDraft({ ...draft, ...change }),
        }
        return (
          <>
            <WebhookFields {...part} />
            <WebhookMore {...part} />
          </>
        )
      }}
    </DialogForm>
  )
}
