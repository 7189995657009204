// Owns what this device held before it joined: a list of it, and bringing it into the workspace once a person says so.
import { Button } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { ListTable } from '../../components/list-table.tsx'
import parts from '../../components/parts.module.css'
import { call } from '../../lib/api-client.ts'
import { confirmAction } from '../../lib/confirm.ts'
import { t, tn } from '../../lib/strings.ts'
import { showProblem, showToast } from '../../lib/toast.ts'
import { asideQuery } from './sync-queries.ts'
import type { AsideObject } from './sync-queries.ts'

/** The part; nothing where nothing is kept to this device. */
export function AsidePart() {
  const { data } = useQuery(asideQuery)
  if (!data || data.length === 0) return null
  const columns = [
    { label: t('word.object') },
    { label: t('word.records'), number: true },
    { label: t('aside.what'), hidden: true },
  ]
  return (
    <section className={parts.section} aria-labelledby="sync-aside">
      <h2 id="sync-aside">{t('aside.title')}</h2>
      <p className={parts.lead}>{t('aside.lead')}</p>
      <ListTable label={t('aside.list')} columns={columns}>
        {data.map((one) => (
          <AsideLine key={one.object} one={one} />
        ))}
      </ListTable>
    </section>
  )
}

function AsideLine({ one }: { one: AsideObject }) {
  const { object, label, records, isDefined, mayAdopt } = one
  const client = useQueryClient()
  const [busy, setBusy] = useState(false)
  const adopt = async (): Promise<void> => {
    const body = tn('aside.adopt.body', records)
    const yes = await confirmAction({
      title: t('aside.adopt.title', { label }),
      body: isDefined ? body : `${body} ${t('aside.adopt.define')}`,
      confirmLabel: t('aside.adopt'),
    })
    if (!yes) return
    setBusy(true)
    try {
      const { objects } = await call('adoptSyncAside', { body: { objects: [object] } })
      client.setQueryData(asideQuery.queryKey, objects)
      showToast({ message: t('aside.adopt.done', { label }), tone: 'good' })
    } catch (error) {
      showProblem(error)
    } finally {
      setBusy(false)
    }
  }
  return (
    <tr>
      <th scope="row">{label}</th>
      <td data-number className="cairn-numbers">
        {records}
      </td>
      <td data-end={mayAdopt || undefined}>
        {mayAdopt ? (
          <Button
            size="compact-sm"
            variant="default"
            loading={busy}
            aria-label={t('aside.adoptOf', { label })}
            onClick={() => void adopt()}
          >
            {t('aside.adopt')}
          </Button>
        ) : (
          t('aside.alone')
        )}
      </td>
    </tr>
  )
}
