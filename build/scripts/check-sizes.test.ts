import { describe, expect, it } from 'vitest'
import { checkBudgets, checkFiles } from './check-sizes.ts'

const lines = (count: number): string => 'x\n'.repeat(count)

describe('sizes check', () => {
  it('accepts 600 lines and refuses 601', () => {
    expect(checkFiles([{ path: 'main/a.ts', text: lines(600) }]).problems).toEqual([])
    expect(checkFiles([{ path: 'main/a.ts', text: lines(601) }]).problems).toEqual([
      'main/a.ts: 601 lines, more than 600: split it by concept',
    ])
  })

  it('remarks on a file over 400 lines without refusing it', () => {
    const report = checkFiles([{ path: 'main/a.ts', text: lines(401) }])
    expect(report).toEqual({ problems: [], remarks: ['main/a.ts: 401 lines'] })
  })

  it('lets contracts be long', () => {
    expect(checkFiles([{ path: 'shared/contracts/data.ts', text: lines(900) }]).problems).toEqual([])
  })

  it('refuses names that say nothing and names that are not kebab-case', () => {
    const problems = (path: string): string[] => checkFiles([{ path, text: 'x' }]).problems
    expect(problems('main/kernel/utils.ts')).toHaveLength(1)
    expect(problems('renderer/helpers/a.ts')).toHaveLength(1)
    expect(problems('main/kernel/FooBar.ts')).toHaveLength(1)
    expect(problems('shared/contracts/common.ts')).toEqual([])
    expect(problems('main/a.property.test.ts')).toEqual([])
  })
})

describe('budget check', () => {
  const manifest = {
    'index.html': { file: 'index.js', isEntry: true, imports: ['_kit.js'], dynamicImports: ['import'], css: ['a.css'] },
    '_kit.js': { file: 'kit.js' },
    'app/draw-application.tsx': { file: 'app.js', src: 'app/draw-application.tsx', imports: ['_kit.js'] },
    import: { file: 'import.js', src: 'features/import/index.ts', imports: ['_kit.js'] },
  }
  const weighing = (sizes: Readonly<Record<string, number>>) => (file: string) => (sizes[file] ?? 0) * 1000

  it('counts the entry, the application and what they import at once, not the lazy chunks', () => {
    const sizes = { 'index.js': 10, 'app.js': 90, 'kit.js': 105, 'import.js': 40, 'a.css': 18 }
    const report = checkBudgets(manifest, weighing(sizes))
    expect(report.problems).toEqual([])
    expect(report.remarks).toContain('initial JavaScript: 205.0 kB of 215 kB')
    expect(report.remarks).toContain('lazy import: 40.0 kB of 55 kB')
  })

  it('counts what comes beside the first page once, and with no screen', () => {
    const over = {
      ...manifest,
      'app/overlays.tsx': { file: 'over.js', src: 'app/overlays.tsx', imports: ['_kit.js', '_dialog.js'] },
      '_dialog.js': { file: 'dialog.js' },
      import: { ...manifest.import, imports: ['_kit.js', '_dialog.js'] },
    }
    const { remarks } = checkBudgets(over, weighing({ 'over.js': 3, 'dialog.js': 12, 'import.js': 40 }))
    expect(remarks).toContain('beside the first page: 15.0 kB of 24 kB')
    expect(remarks).toContain('lazy import: 40.0 kB of 55 kB')
  })

  it('refuses more than five per cent over a budget', () => {
    const over = { 'index.js': 226, 'a.css': 22, 'import.js': 58 }
    expect(checkBudgets(manifest, weighing(over)).problems).toHaveLength(3)
    const within = { 'index.js': 225, 'a.css': 21, 'import.js': 57 }
    expect(checkBudgets(manifest, weighing(within)).problems).toEqual([])
  })

  it('refuses a manifest without an entry', () => {
    expect(checkBudgets({}, () => 0).problems).toHaveLength(1)
  })
})
