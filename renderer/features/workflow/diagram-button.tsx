// Owns showing on a record where it stands in the whole of its workflow.
import { ActionIcon, Tooltip } from '@mantine/core'
import { IconSitemap } from '@tabler/icons-react'
import { useState } from 'react'
import { Dialog } from '../../components/dialog.tsx'
import { t } from '../../lib/strings.ts'
import { TransitionTable, WorkflowDiagram } from './workflow-diagram.tsx'
import type { Workflow } from './workflow-queries.ts'

/** The button with its dialog. */
export function DiagramButton(props: { workflow: Workflow; current: string | null }) {
  const [opened, setOpened] = useState(false)
  const label = t('diagram.of', { workflow: props.workflow.label })
  return (
    <>
      <Tooltip label={label}>
        <ActionIcon
          variant="subtle"
          color="gray"
          size={24}
          c="var(--cairn-text-quiet)"
          aria-label={label}
          onClick={() => setOpened(true)}
        >
          <IconSitemap size={16} stroke={1.75} aria-hidden />
        </ActionIcon>
      </Tooltip>
      <Dialog opened={opened} onClose={() => setOpened(false)} title={props.workflow.label} size="xl">
        <WorkflowDiagram {...props} />
        <TransitionTable {...props} />
      </Dialog>
    </>
  )
}
