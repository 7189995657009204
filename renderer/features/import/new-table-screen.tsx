// Owns the page for adding a table when there are objects already.
import { Button } from '@mantine/core'
import { Page } from '../../components/page.tsx'
import { t } from '../../lib/strings.ts'
import { NewTableFlow } from './new-table-flow.tsx'

/** The page; Ctrl+V works as soon as it is open. */
export function NewTableScreen() {
  return (
    <NewTableFlow
      autoFocus
      before={(area) => (
        <Page title={t('word.newObject')} lead={t('home.lead')} width="narrow">
          <div style={{ marginBlock: 16 }}>{area}</div>
          <Button component="a" href="#/new/blank" variant="subtle">
            {t('home.blank')}
          </Button>
          <Button component="a" href="#/imports" variant="subtle">
            {t('import.list.earlier')}
          </Button>
        </Page>
      )}
    />
  )
}
