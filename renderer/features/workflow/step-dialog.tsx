// Owns what a step asks for before it is taken: a comment, and knowing that others have to approve it.
import { Textarea } from '@mantine/core'
import { useState } from 'react'
import { DialogForm } from '../../components/dialog-form.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { Notice } from '../../components/notice.tsx'
import { t } from '../../lib/strings.ts'
import type { Step } from './workflow-queries.ts'
import { stepProblem } from './workflow-words.ts'

/** The dialog; undefined shows nothing. */
export function StepDialog(props: {
  step: Step | undefined
  onClose: () => void
  /** Takes it, and closes the dialog once it is taken. */
  onTake: (step: Step, comment: string | undefined) => Promise<void>
}) {
  const { step } = props
  return (
    <Dialog opened={step !== undefined} onClose={props.onClose} title={step?.label ?? ''} closeOnClickOutside={false}>
      {step && <StepForm {...props} step={step} />}
    </Dialog>
  )
}

function StepForm(props: {
  step: Step
  onClose: () => void
  onTake: (step: Step, comment: string | undefined) => Promise<void>
}) {
  const { step, onClose } = props
  const [text, setText] = useState('')
  const comment = text.trim()
  const isMissing = step.requiresComment && comment === ''
  return (
    <DialogForm
      submit={step.requiresApproval ? t('workflow.ask') : step.label}
      ready={!isMissing}
      describe={stepProblem}
      onClose={onClose}
      onSubmit={async () => props.onTake(step, comment === '' ? undefined : comment)}
    >
      {(tried) => (
        <>
          {step.requiresApproval && <Notice tone="info">{t('workflow.asks')}</Notice>}
          <Textarea
            label={t(step.requiresComment ? 'workflow.comment' : 'approval.comment')}
            autosize
            minRows={2}
            maxLength={10_000}
            data-autofocus
            required={step.requiresComment}
            value={text}
            error={tried && isMissing ? t('workflow.comment.missing') : undefined}
            onChange={(event) => setText(event.currentTarget.value)}
          />
        </>
      )}
    </DialogForm>
  )
}
