// Owns the page with every import the host remembers.
import { Button } from '@mantine/core'
import { IconTableImport } from '@tabler/icons-react'
import { useState } from 'react'
import { EmptyState, LoadFailure } from '../../components/notice.tsx'
import { Page } from '../../components/page.tsx'
import { t } from '../../lib/strings.ts'
import { jobsPerPage, useImportJobs } from './job-queries.ts'
import { JobTable } from './job-table.tsx'
import classes from './import-screen.module.css'

/** The page. */
export function JobsScreen() {
  const [offset, setOffset] = useState(0)
  const { data, error, refetch } = useImportJobs(undefined, offset)
  return (
    <Page title={t('import.list.title')} lead={t('import.list.lead')}>
      {!data && error && <LoadFailure error={error} onRetry={() => void refetch()} />}
      {data?.total === 0 && (
        <EmptyState
          icon={<IconTableImport size={32} stroke={1.5} aria-hidden />}
          title={t('import.list.none')}
          actions={
            <Button component="a" href="#/new">
              {t('word.newObject')}
            </Button>
          }
        />
      )}
      {data && data.total > 0 && (
        <>
          <JobTable jobs={data.jobs} label={t('import.list.title')} />
          {data.total > jobsPerPage && (
            <div className={classes.actions}>
              <Button variant="default" disabled={offset === 0} onClick={() => setOffset(offset - jobsPerPage)}>
                {t('import.list.newer')}
              </Button>
              <Button
                variant="default"
                disabled={offset + jobsPerPage >= data.total}
                onClick={() => setOffset(offset + jobsPerPage)}
              >
                {t('import.list.older')}
              </Button>
            </div>
          )}
        </>
      )}
    </Page>
  )
}
