/** Everything that the package exports has a docstring at its declaration, where editors find it. */
import { API, SymbolFlags } from "typescript/unstable/sync";
import { expect, it } from "vitest";

/** Names that a module exports without a docstring where they are declared, and how many it exports in all. */
function undocumented(path: string) {
  const compiler = new API();
  try {
    const snapshot = compiler.updateSnapshot({ openProjects: ["tsconfig.json"] });
    const { program, checker } = snapshot.getProject("tsconfig.json")!;
    const module = checker.getSymbolAtLocation(program.getSourceFile(path)!)!;
    const symbols = checker.getExportsOfModule(module);
    const declared = (symbol: (typeof symbols)[number]) =>
      (symbol.flags & SymbolFlags.Alias) === 0 ? symbol : checker.getAliasedSymbol(symbol);
    const names = symbols
      .filter((symbol) => checker.getDocumentationCommentOfSymbol(declared(symbol)).trim() === "")
      .map((symbol) => symbol.name);
    return { names, exported: symbols.length };
  } finally {
    compiler.close();
  }
}

it.each(["src/index.ts", "src/train.ts", "src/web/index.ts"])(
  "%s exports only names with a docstring",
  (path) => {
    const { names, exported } = undocumented(path);
    expect(exported).toBeGreaterThan(20);
    expect(names).toEqual([]);
  },
);
