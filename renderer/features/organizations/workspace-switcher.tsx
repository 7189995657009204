// Owns switching between one's organizations from the bar at the top; nothing for people in none.
import { Button, Menu } from '@mantine/core'
import { IconBuilding, IconCheck } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { menuOptions } from '../../components/menu-options.ts'
import { activeOrganizationOf, useMe } from '../../lib/me.ts'
import { t } from '../../lib/strings.ts'
import { showProblem } from '../../lib/toast.ts'
import { organizationsQuery, workIn } from './organization-queries.ts'

/** The button with the name of the organization one works in, and the menu of the others. */
export function WorkspaceSwitcher(props: { label?: string | undefined }) {
  const { data: organizations } = useQuery(organizationsQuery)
  const me = useMe()
  if (!organizations || organizations.length === 0 || !me) return null
  const activeId = activeOrganizationOf(me)
  const name = organizations.find(({ id }) => id === activeId)?.name ?? t('word.noneSmall')
  return (
    <Menu position="bottom-start" {...menuOptions}>
      <Menu.Target>
        <Button
          size="compact-sm"
          variant="default"
          aria-label={t('orgs.switch', { name })}
          leftSection={<IconBuilding size={14} aria-hidden />}
          flex="none"
          classNames={props.label === undefined ? {} : { label: props.label }}
        >
          {name}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {organizations.map((organization) => (
          <Menu.Item
            key={organization.id}
            leftSection={organization.id === activeId ? <IconCheck size={14} aria-hidden /> : <span />}
            aria-current={organization.id === activeId || undefined}
            onClick={() => {
              if (organization.id !== activeId) void workIn(organization.id).catch(showProblem)
            }}
          >
            {organization.name}
          </Menu.Item>
        ))}
        <Menu.Item component="a" href="#/organizations">
          {t('word.allOrganizations')}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
