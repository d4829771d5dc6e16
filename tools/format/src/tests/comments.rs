//! Comments in all places.

use super::check;
use expect_test::expect;

#[test]
fn of_forms() {
    check(
        "% a file %\n\n% of x\n     in two lines %\nx = 1; % behind x %\n\
         y = 2 % y %;% z % z;\n\n% end %",
        expect![[r#"
            % a file %

            % of x
                 in two lines %
            x = 1; % behind x %
            y = 2 % y %;
            % z % z;

            % end %
        "#]],
    );
}

#[test]
fn in_functions() {
    check(
        "function g % name % (x % x %, y) % type % : int -> int % result %\n = % equals %\n x;
         function g(x) =\n % how %\n x + 1;
         function g(x) \"doc\" % documented %\n =\n % how %\n x;",
        expect![[r#"
            function g % name % (x % x %, y)
              % type % : int -> int % result %
              = % equals %
              x;
            function g(x) =
              % how %
              x + 1;
            function g(x)
              "doc" % documented %
              =
                % how %
                x;
        "#]],
    );
}

#[test]
fn in_lets() {
    check(
        "let % first %\n a = 1; % one %\n % before b %\n\n b = % two % 2 % 2 %\n; % last %\n \
         in % body %\n a;
         let a = % value %\n 1 in\n % sum %\n a + 1;",
        expect![[r#"
            let % first %
              a = 1; % one %
              % before b %
              b = % two % 2 % 2 %
              ; % last %
            in % body %
              a;
            let a = % value %
                  1
            in
              % sum %
              a + 1;
        "#]],
    );
}

#[test]
fn in_conditionals() {
    check(
        "if a then b % why %\nelse c % why not %;
         if a % a %\n then % b % b else % c %\n if d then e\n % else %\n else % g % g;
         if a then b else\n % otherwise %\n if c then d else e;",
        expect![[r#"
            if a then b % why %
            else c % why not %;
            if a % a %
            then % b % b
            else % c %
              if d then e
              % else %
              else % g % g;
            if a then b
            else
              % otherwise %
              if c then d else e;
        "#]],
    );
}

#[test]
fn in_operands() {
    check(
        "a + % b % b % behind %\n + c\n % before d %\n + d % e %;",
        expect![[r#"
        a + % b % b % behind %
        + c
        % before d %
        + d % e %;
    "#]],
    );
}

#[test]
fn in_brackets() {
    check(
        "g( % nothing %\n x, % x %\n y % y %\n );
         [1, % one %\n 2, % two %\n % three %\n 3];
         ( % inside % x % inside % ); [] % empty %; a % of % [ % i % i ];
         { % body %\n x % x %\n : % x % x in s % s %\n | % test %\n x > 0 % end %\n };",
        expect![[r#"
            g( % nothing %
              x, % x %
              y % y %
            );
            [1, % one %
             2, % two %
             % three %
             3];
            (% inside % x % inside %);
            [] % empty %;
            a % of % [% i % i];
            { % body %
              x % x %
              : % x % x in s % s %
              | % test %
                x > 0 % end %
            };
        "#]],
    );
}

#[test]
fn of_several_lines() {
    check(
        "x = g(1, % one\n  is enough % 2);\n   %  a\n  b %\n% c % % d %\ny;",
        expect![[r#"
        x = g(1,
              % one
          is enough % 2);
        %  a
          b %
        % c % % d %
        y;
    "#]],
    );
}
