// Owns the audit log on screen: what narrows it is in the address; older entries follow on demand.
import { Button } from '@mantine/core'
import { IconDownload, IconShieldCheck } from '@tabler/icons-react'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useSearchParams } from 'wouter'
import { EmptyState, Notice } from '../../components/notice.tsx'
import parts from '../../components/parts.module.css'
import { call, download } from '../../lib/api-client.ts'
import { hasCode } from '../../lib/api-error.ts'
import { navigate } from '../../lib/hash-location.ts'
import { saveFile } from '../../lib/save-file.ts'
import { t, tn } from '../../lib/strings.ts'
import { showProblem, showToast } from '../../lib/toast.ts'
import { AccessFailure, AccessPage } from '../access/index.ts'
import { AuditFilters } from './audit-filters.tsx'
import { auditQuery, filterOfAddress, queryOfFilter } from './audit-queries.ts'
import type { AuditFilter, AuditVerification } from './audit-queries.ts'
import { AuditTable } from './audit-table.tsx'
import classes from './audit.module.css'

/** The page. */
export function AuditScreen() {
  const [parameters] = useSearchParams()
  const filter = filterOfAddress(parameters)
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery(auditQuery(filter))
  const [found, setFound] = useState<AuditVerification>()
  const entries = data?.pages.flatMap((page) => page.entries)
  const isNarrowed = Object.keys(filter).length > 0
  const absent = hasCode(error, 'resource_not_found')
  return (
    <AccessPage part="audit" actions={entries && <Tasks filter={filter} onFound={setFound} />}>
      {absent && <EmptyState title={t('audit.noKind')} />}
      {error && !data && !absent && (
        <AccessFailure error={error} permission="view_audit" onRetry={() => void refetch()} />
      )}
      {entries && (
        <>
          {found && <Verified found={found} />}
          <p className={parts.lead}>{t('audit.lead')}</p>
          <AuditFilters filter={filter} onChange={(next) => navigate(addressOf(next), { replace: true })} />
          {entries.length === 0 ? (
            <EmptyState title={t(isNarrowed ? 'audit.noMatch' : 'audit.none')}>
              {isNarrowed && t('audit.noMatch.text')}
            </EmptyState>
          ) : (
            <AuditTable entries={entries} />
          )}
          <div className={parts.actions}>
            {hasNextPage && (
              <Button variant="default" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
                {t('audit.more')}
              </Button>
            )}
            <p className="cairn-hidden" role="status">
              {tn('audit.shown', entries.length)}
            </p>
          </div>
        </>
      )}
    </AccessPage>
  )
}

function addressOf(filter: AuditFilter): string {
  const parameters = new URLSearchParams(filter as Record<string, string>)
  return parameters.size > 0 ? `/access/audit?${parameters.toString()}` : '/access/audit'
}

function Tasks(props: { filter: AuditFilter; onFound: (found: AuditVerification | undefined) => void }) {
  const [busy, setBusy] = useState<'verify' | 'export'>()
  const run = async (task: 'verify' | 'export', work: () => Promise<void>): Promise<void> => {
    setBusy(task)
    try {
      await work()
    } catch (error) {
      showProblem(error)
    } finally {
      setBusy(undefined)
    }
  }
  const verify = async (): Promise<void> => {
    props.onFound(undefined)
    props.onFound(await call('verifyAudit', {}))
  }
  const exportEntries = async (): Promise<void> => {
    const { file, name = 'audit.ndjson' } = await download('exportAudit', {
      params: {},
      query: queryOfFilter(props.filter),
    })
    saveFile(name, file)
    showToast({ message: t('audit.exported', { file: name }), tone: 'good' })
  }
  return (
    <>
      <Button
        variant="default"
        leftSection={<IconShieldCheck size={16} aria-hidden />}
        loading={busy === 'verify'}
        onClick={() => void run('verify', verify)}
      >
        {t('audit.verify')}
      </Button>
      <Button
        variant="default"
        leftSection={<IconDownload size={16} aria-hidden />}
        loading={busy === 'export'}
        onClick={() => void run('export', exportEntries)}
      >
        {t('audit.export')}
      </Button>
    </>
  )
}

function Verified(props: { found: AuditVerification }) {
  const { valid, checked, head, firstBroken } = props.found
  if (valid || !firstBroken) {
    return (
      <div className={classes.notice}>
        <Notice tone="good" title={t('audit.verified')} live>
          {t('audit.verified.text', { count: checked, seq: head.seq })}
        </Notice>
      </div>
    )
  }
  return (
    <div className={classes.notice}>
      <Notice tone="bad" title={t('audit.broken', { seq: firstBroken.seq })} live>
        {t(`audit.broken.${firstBroken.reason}`)}
      </Notice>
    </div>
  )
}
