// Owns the buttons of an approval: those of what the person in front may do with it, and nothing else.
import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useOwnId } from '../../lib/me.ts'
import { administratorProfile, ownRightsQuery } from '../../lib/own-rights.ts'
import { t } from '../../lib/strings.ts'
import { ActDialog } from './act-dialog.tsx'
import type { PeopleNames } from './use-people-names.ts'
import type { Approval } from './workflow-queries.ts'
import { actsOf } from './workflow-words.ts'
import type { ApprovalAct } from './workflow-words.ts'
import classes from './workflow.module.css'

/** The buttons with their dialog. */
export function ApprovalActs(props: { approval: Approval; people: PeopleNames }) {
  const { approval, people } = props
  const ownId = useOwnId()
  const { data: rights } = useQuery(ownRightsQuery)
  const [open, setOpen] = useState<ApprovalAct>()
  const person = { id: ownId, isAdministrator: rights?.profile === administratorProfile }
  const successors = people.readers.filter(({ id }) => !approval.approvers.includes(id))
  // Without anybody to hand on to there is nothing to choose.
  const acts = actsOf(approval, person).filter((act) => act !== 'reassign' || successors.length > 0)
  return (
    <>
      {acts.length > 0 && (
        <div className={classes.steps}>
          {acts.map((act) => (
            <Button
              key={act}
              size="compact-sm"
              variant={act === 'approve' ? 'filled' : act === 'reject' ? 'default' : 'subtle'}
              onClick={() => setOpen(act)}
            >
              {t(`approval.${act}`)}…
            </Button>
          ))}
        </div>
      )}
      <ActDialog act={open} approval={approval} successors={successors} onClose={() => setOpen(undefined)} />
    </>
  )
}
