// Owns giving a record to another owner; folded away, because it is rare and not the giver's to take back.
import { Button } from '@mantine/core'
import { useState } from 'react'
import { call } from '../../lib/api-client.ts'
import { confirmAction } from '../../lib/confirm.ts'
import { t } from '../../lib/strings.ts'
import { showProblem, showToast } from '../../lib/toast.ts'
import { PrincipalSearch } from './principal-search.tsx'
import type { Principal, SharedRecord } from './share-queries.ts'
import classes from './sharing.module.css'

/** The section. */
export function TransferForm(props: { record: SharedRecord; owner: string; onDone: () => void }) {
  const { record } = props
  const [open, setOpen] = useState(false)
  const give = async ({ name, principalId }: Principal): Promise<void> => {
    const parameters = { record: record.label, name }
    const yes = await confirmAction({
      title: t('transfer.ask', parameters),
      body: t('transfer.ask.body'),
      confirmLabel: t('transfer.submit', parameters),
    })
    if (!yes) return
    const { object, id } = record
    try {
      await call('transferRecord', { params: { object, id }, body: { owner: principalId } })
      showToast({ message: t('transfer.done', parameters), tone: 'good' })
      props.onDone()
    } catch (error) {
      showProblem(error)
    }
  }
  return (
    <section aria-labelledby="transfer" className={classes.part}>
      <h3 id="transfer" className={classes.heading}>
        {t('transfer.title')}
      </h3>
      <p className={classes.quiet}>{t('transfer.lead')}</p>
      {open ? (
        <PrincipalSearch
          record={record}
          label={t('transfer.find')}
          only="user"
          without={[props.owner]}
          action={t('transfer.give')}
          actionOf={(name) => t('transfer.giveTo', { name })}
          none={t('transfer.noPeople')}
          onChoose={give}
        />
      ) : (
        <Button variant="default" size="compact-sm" className={classes.start} onClick={() => setOpen(true)}>
          {t('transfer.find')}
        </Button>
      )}
    </section>
  )
}
