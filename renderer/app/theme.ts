// Owns the look of the UI kit: the tuned palette that keeps every text at or above its contrast minimum in both schemes.
// And where the chosen colour scheme is kept: the kit asks it once and follows the system when nothing was chosen. Knows no
// screen.
import {
  Button,
  Input,
  createTheme,
  defaultVariantColorsResolver,
  type CSSVariablesResolver,
  type MantineColorScheme,
  type MantineColorSchemeManager,
  type VariantColorsResolver,
} from '@mantine/core'
import { readStored, writeStored } from '../lib/storage.ts'

// The kit's own pairs miss 4.5:1 for light, subtle and filled variants; these were measured in both schemes.
const variantColorResolver: VariantColorsResolver = (input) => {
  const defaults = defaultVariantColorsResolver(input)
  const color = input.color || input.theme.primaryColor
  const shade = (step: number): string => `var(--mantine-color-${color}-${step})`
  if (input.variant === 'light') {
    return {
      ...defaults,
      color: `light-dark(color-mix(in srgb, ${shade(9)}, black 35%), ${shade(2)})`,
      background: `light-dark(${shade(0)}, color-mix(in srgb, ${shade(9)}, black 55%))`,
    }
  }
  if (input.variant === 'subtle') {
    const hover = `light-dark(color-mix(in srgb, ${shade(9)} 8%, transparent), ${defaults.hover})`
    return { ...defaults, color: `light-dark(${shade(9)}, ${shade(3)})`, hover }
  }
  if (!input.variant || input.variant === 'filled') {
    return { ...defaults, background: `light-dark(${shade(8)}, ${shade(9)})`, color: '#fff' }
  }
  return defaults
}

/** The theme of every screen. */
export const theme = createTheme({
  variantColorResolver,
  primaryColor: 'indigo',
  colors: {
    // Neutral slate in place of the kit's grey, so that fields belong to the surfaces around them.
    dark: [
      '#e4e8ef',
      '#c3cad5',
      '#98a2b3',
      '#6b7686',
      '#414a59',
      '#2d333e',
      '#1c2027',
      '#14171d',
      '#0f1216',
      '#0b0d10',
    ],
  },
  primaryShade: { light: 7, dark: 8 },
  autoContrast: true,
  luminanceThreshold: 0.35,
  defaultRadius: 'sm',
  radius: { sm: '4px', md: '6px' },
  fontFamily: 'Inter Variable, Inter, system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif',
  fontSizes: { xs: '12px', sm: '13px', md: '14px' },
  headings: {
    fontWeight: '600',
    sizes: { h1: { fontSize: '24px' }, h2: { fontSize: '18px' }, h3: { fontSize: '14px' } },
  },
  respectReducedMotion: true,
  cursorType: 'pointer',
  components: {
    // Controls are 32 px high, the kit's are 36; none is lower than the 24 px that fingers need, the kit's smallest has 22.
    Button: Button.extend({
      defaultProps: { size: 'sm' },
      vars: (_theme, { size }) => {
        if (size === 'compact-xs') return { root: { '--button-height': '24px' } }
        return size === 'sm' ? { root: { '--button-height': '32px', '--button-padding-x': '14px' } } : { root: {} }
      },
    }),
    Input: Input.extend({
      vars: (_theme, props) =>
        props.size === undefined || props.size === 'sm' ? { wrapper: { '--input-height': '32px' } } : { wrapper: {} },
    }),
    Tooltip: {
      // Inside of the landmark its button stands in, so that a reader finds it there; fixed, so that nothing cuts it off.
      defaultProps: { openDelay: 400, withArrow: false, withinPortal: false, floatingStrategy: 'fixed' },
    },
  },
})

/** Variables of the kit that the theme object cannot express: quiet text, placeholders and errors per scheme. */
export const cssVariablesResolver: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-dimmed': '#566070',
    '--mantine-color-placeholder': '#5c6675',
    '--mantine-color-error': '#b42318',
    '--mantine-color-body': '#ffffff',
    '--mantine-color-text': '#1b2230',
    '--mantine-color-default-border': '#c5cbd5',
  },
  dark: {
    '--mantine-color-dimmed': '#a9b2c0',
    '--mantine-color-placeholder': '#98a2b3',
    '--mantine-color-error': '#ff9b92',
    '--mantine-color-body': '#14171d',
    '--mantine-color-text': '#e4e8ef',
    '--mantine-color-default': '#1c2027',
    '--mantine-color-default-hover': '#262b34',
    '--mantine-color-default-border': '#414a59',
  },
})

const schemeKey = 'color-scheme'

function isScheme(text: string | undefined): text is MantineColorScheme {
  return text === 'light' || text === 'dark' || text === 'auto'
}

/** Keeps the scheme in the browser's storage under Cairn's prefix; other tabs are not watched. */
export const colorSchemeManager: MantineColorSchemeManager = {
  get: (defaultValue) => {
    const stored = readStored(schemeKey)
    return isScheme(stored) ? stored : defaultValue
  },
  set: (value) => writeStored(schemeKey, value === 'auto' ? undefined : value),
  subscribe: () => {},
  unsubscribe: () => {},
  clear: () => writeStored(schemeKey, undefined),
}
