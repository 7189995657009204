// Owns taking a step of a workflow: a button for each, at once where nothing has to be said, else by a small dialog.
import { Button, Menu } from '@mantine/core'
import { IconChevronDown } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { useMenu } from '../../components/menu-options.ts'
import { call } from '../../lib/api-client.ts'
import { t } from '../../lib/strings.ts'
import { showToast } from '../../lib/toast.ts'
import { StepDialog } from './step-dialog.tsx'
import { refreshState, stateQuery } from './workflow-queries.ts'
import type { RecordName, Step, Workflow } from './workflow-queries.ts'
import { shownState, stepProblem } from './workflow-words.ts'
import classes from './workflow.module.css'

/** Steps with a button of their own; the others are in a menu. */
const mostButtons = 3

/** The buttons. */
export function StepButtons(props: { workflow: Workflow; record: RecordName; steps: readonly Step[] }) {
  const { workflow, record, steps } = props
  const client = useQueryClient()
  const [busy, setBusy] = useState<string>()
  const [open, setOpen] = useState<Step>()
  const button = useRef<HTMLButtonElement>(null)
  const { options, after } = useMenu(button)

  const take = async (step: Step, comment?: string): Promise<void> => {
    try {
      const { state, pending } = await call('transitionRecord', {
        params: record,
        body: { transition: step.name, workflow: workflow.name, ...(comment === undefined ? {} : { comment }) },
      })
      setOpen(undefined)
      client.setQueryData(stateQuery(record, workflow.name).queryKey, state)
      const { label } = shownState(workflow, state.currentState)
      showToast({ message: pending ? t('workflow.asked') : t('workflow.done', { state: label }), tone: 'good' })
    } finally {
      await refreshState(client, record)
    }
  }
  const choose = async (step: Step): Promise<void> => {
    if (step.requiresComment || step.requiresApproval) {
      setOpen(step)
      return
    }
    setBusy(step.name)
    try {
      await take(step)
    } catch (error) {
      showToast({ message: stepProblem(error), tone: 'bad' })
    } finally {
      setBusy(undefined)
    }
  }
  const label = (step: Step): string => (step.requiresComment || step.requiresApproval ? `${step.label}…` : step.label)
  const shown = steps.length > mostButtons + 1 ? steps.slice(0, mostButtons) : steps
  const rest = steps.slice(shown.length)
  return (
    <>
      {steps.length > 0 && (
        <div className={classes.steps} role="group" aria-label={t('workflow.steps')}>
          {shown.map((step) => (
            <Button
              key={step.name}
              size="compact-sm"
              variant="default"
              loading={busy === step.name}
              disabled={busy !== undefined && busy !== step.name}
              onClick={() => void choose(step)}
            >
              {label(step)}
            </Button>
          ))}
          {rest.length > 0 && (
            <Menu position="bottom-start" {...options}>
              <Menu.Target>
                <Button
                  ref={button}
                  size="compact-sm"
                  variant="default"
                  rightSection={<IconChevronDown size={14} aria-hidden />}
                >
                  {t('workflow.more')}
                </Button>
              </Menu.Target>
              <Menu.Dropdown>
                {rest.map((step) => (
                  <Menu.Item key={step.name} onClick={after(() => void choose(step))}>
                    {label(step)}
                  </Menu.Item>
                ))}
              </Menu.Dropdown>
            </Menu>
          )}
        </div>
      )}
      <StepDialog step={open} onClose={() => setOpen(undefined)} onTake={take} />
    </>
  )
}
