// Owns doing something with an approval: a comment, the reason a rejection may need, and whom it is handed on to.
import { NativeSelect, Textarea } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { DialogForm } from '../../components/dialog-form.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { call } from '../../lib/api-client.ts'
import { t } from '../../lib/strings.ts'
import { showToast } from '../../lib/toast.ts'
import type { PeopleNames } from './use-people-names.ts'
import { refreshState } from './workflow-queries.ts'
import type { Approval } from './workflow-queries.ts'
import { stepProblem } from './workflow-words.ts'
import type { ApprovalAct } from './workflow-words.ts'

interface ActProps {
  approval: Approval
  /** Whom it can be handed on to. */
  successors: PeopleNames['readers']
  onClose: () => void
}

/** The dialog; undefined shows nothing. */
export function ActDialog(props: ActProps & { act: ApprovalAct | undefined }) {
  const { act } = props
  return (
    <Dialog
      opened={act !== undefined}
      onClose={props.onClose}
      title={act === undefined ? '' : t(`approval.${act}.title`)}
      closeOnClickOutside={false}
    >
      {act && <ActForm {...props} act={act} />}
    </Dialog>
  )
}

function ActForm({ act, approval, successors, onClose }: ActProps & { act: ApprovalAct }) {
  const client = useQueryClient()
  const [text, setText] = useState('')
  const [to, setTo] = useState('')
  const comment = text.trim()
  const needsReason = act === 'reject' && approval.requireRejectReason
  const isReasonMissing = needsReason && comment === ''
  const isHeirMissing = act === 'reassign' && to === ''

  const send = async (): Promise<void> => {
    const params = { id: approval.id }
    const body = comment === '' ? {} : { comment }
    try {
      if (act === 'reassign') await call('reassignRequest', { params, body: { ...body, to } })
      else await call(`${act}Request`, { params, body })
      showToast({ message: t(`approval.${act}.done`), tone: 'good' })
      onClose()
    } finally {
      await refreshState(client, approval)
    }
  }
  return (
    <DialogForm
      submit={t(`approval.${act}`)}
      ready={!isReasonMissing && !isHeirMissing}
      dangerous={act === 'reject'}
      describe={stepProblem}
      onClose={onClose}
      onSubmit={send}
    >
      {(tried) => (
        <>
          {act === 'reassign' && (
            <NativeSelect
              label={t('approval.to')}
              required
              data-autofocus
              value={to}
              data={[
                { value: '', label: t('approval.to.choose') },
                ...successors.map(({ id, name }) => ({ value: id, label: name })),
              ]}
              error={tried && isHeirMissing ? t('approval.to.missing') : undefined}
              onChange={(event) => setTo(event.currentTarget.value)}
            />
          )}
          <Textarea
            label={t(needsReason ? 'approval.reason' : 'approval.comment')}
            autosize
            minRows={2}
            maxLength={10_000}
            data-autofocus={act !== 'reassign' || undefined}
            required={needsReason}
            value={text}
            error={tried && isReasonMissing ? t('approval.reason.missing') : undefined}
            onChange={(event) => setText(event.currentTarget.value)}
          />
        </>
      )}
    </DialogForm>
  )
}
