// Owns giving a record to another owner; folded away, because it is rare and not the giver's to take back.
import { Button } from '@mantine/core'
import { useState } from 'react'
import { Notice } from '../../components/notice.tsx'
import { call } from '../../lib/api-client.ts'
import { t } from '../../lib/strings.ts'
import { showProblem, showToast } from '../../lib/toast.ts'
import { PrincipalSearch } from './principal-search.tsx'
import type { Principal, SharedRecord } from './share-queries.ts'
import classes from './sharing.module.css'

/** The section. */
export function TransferForm(props: { record: SharedRecord; owner: string; onDone: () => void }) {
  const { record } = props
  const [step, setStep] = useState<'closed' | 'finding' | Principal>('closed')
  const [busy, setBusy] = useState(false)
  const give = async ({ name, principalId }: Principal): Promise<void> => {
    const { object, id, label } = record
    setBusy(true)
    try {
      await call('transferRecord', { params: { object, id }, body: { owner: principalId } })
      showToast({ message: t('transfer.done', { record: label, name }), tone: 'good' })
      props.onDone()
    } catch (error) {
      showProblem(error)
      setBusy(false)
    }
  }
  return (
    <section aria-labelledby="transfer" className={classes.part}>
      <h3 id="transfer" className={classes.heading}>
        {t('transfer.title')}
      </h3>
      <p className={classes.quiet}>{t('transfer.lead')}</p>
      {step === 'closed' && (
        <Button variant="default" size="compact-sm" className={classes.start} onClick={() => setStep('finding')}>
          {t('transfer.find')}
        </Button>
      )}
      {step === 'finding' && (
        <PrincipalSearch
          record={record}
          label={t('transfer.find')}
          only="user"
          without={[props.owner]}
          action={t('transfer.give')}
          actionOf={(name) => t('transfer.giveTo', { name })}
          none={t('transfer.noPeople')}
          autoFocus
          onChoose={async (principal) => setStep(principal)}
        />
      )}
      {typeof step === 'object' && (
        <Notice
          tone="warn"
          live
          title={t('transfer.ask', { record: record.label, name: step.name })}
          actions={
            <>
              <Button size="compact-sm" variant="default" autoFocus onClick={() => setStep('finding')}>
                {t('app.cancel')}
              </Button>
              <Button size="compact-sm" color="red" loading={busy} onClick={() => void give(step)}>
                {t('transfer.submit', { name: step.name })}
              </Button>
            </>
          }
        >
          {t('transfer.ask.body')}
        </Notice>
      )}
    </section>
  )
}
